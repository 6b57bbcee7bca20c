/** Liveness, readiness and identity. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Backend } from '../backend.ts';
import { ACCOUNT_ID, USER_ID } from '../viking-uri.ts';
import { envelope } from './failure.ts';

/** `/health` and `/ready`: no token needed; with the right one `/health` tells the identity as well. */
export function healthRoutes(
  app: FastifyInstance,
  backend: Backend,
  isAuthorized: (request: FastifyRequest) => boolean,
): void {
  app.get('/health', async (request) => ({
    status: 'ok',
    healthy: true,
    version: backend.version,
    server: 'openviking-local',
    ...(isAuthorized(request) ? { auth_mode: 'api_key', account_id: ACCOUNT_ID, user_id: USER_ID } : {}),
  }));
  app.get('/ready', async (_request, reply) => {
    try {
      backend.memories.count();
      return { status: 'ready', checks: { database: 'ok' } };
    } catch {
      return reply.code(503).send({ status: 'not_ready', checks: { database: 'failed' } });
    }
  });
}

export function systemRoutes(app: FastifyInstance): void {
  app.get('/system/status', async () => envelope({ initialized: true, user: USER_ID, account: ACCOUNT_ID }));
}
