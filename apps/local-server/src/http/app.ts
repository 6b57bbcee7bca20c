/** The HTTP face: guards, parsing, envelopes and routes put together. Opens no port. */
import type { IncomingMessage } from 'node:http';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OpenVikingError, systemCode } from '@openviking/memory-core/full';
import type { Backend } from '../backend.ts';
import { Failure, ValidationFailure, failureEnvelope } from './failure.ts';
import { actorPeer, bearerCheck, requireLocalHost } from './request-guard.ts';
import { fileRoutes } from './file-routes.ts';
import { mcpRoute } from './mcp-route.ts';
import { searchRoutes } from './search-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { healthRoutes, systemRoutes } from './system-routes.ts';

/**
 * A turn's answer is one message with the whole outputs of its tools, and what is refused here is a dead letter: the longest that
 * a client's record of 64 MB can hold fits, its line ends escaped.
 */
const BODY_LIMIT_BYTES = 128 * 1024 * 1024;
const DRAIN_WAIT_MS = 10_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** The workspace the request acts for. */
    actorPeer: string | undefined;
  }
}

/** The server's application; `report` gets errors that are ours, not the client's. */
export function createApp(backend: Backend, token: string, report: (error: unknown) => void): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    // Session ids of hosts may be long (a subagent's id holds its parent's).
    routerOptions: { maxParamLength: 1_000 },
    frameworkErrors: (_error, request, reply) => {
      const body = failureEnvelope('INVALID_ARGUMENT', `${request.method}: this is no valid path.`);
      reply.raw.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  });
  const isAuthorized = bearerCheck(token);

  app.decorateRequest('actorPeer', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    if (text.trim() === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text));
    } catch {
      done(new ValidationFailure([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON' }]));
    }
  });

  app.addHook('onRequest', async (request) => {
    requireLocalHost(request.headers.host);
  });
  app.setErrorHandler(async (error, request, reply) => {
    if (systemCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') await drained(request.raw);
    return answerFailure(error, request, reply, report);
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(failureEnvelope('NOT_FOUND', `There is no ${request.method} ${pathOf(request)} here.`)),
  );

  healthRoutes(app, backend, (request) => isAuthorized(request.headers.authorization));
  void app.register(async (guarded) => {
    guarded.addHook('onRequest', async (request) => {
      if (!isAuthorized(request.headers.authorization))
        throw new Failure('UNAUTHENTICATED', 'The bearer token is missing or wrong.');
      request.actorPeer = actorPeer(request.headers['x-openviking-actor-peer']);
    });
    mcpRoute(guarded, backend);
    await guarded.register(
      async (api) => {
        systemRoutes(api);
        sessionRoutes(api, backend);
        searchRoutes(api, backend);
        fileRoutes(api, backend);
      },
      { prefix: '/api/v1' },
    );
  });
  return app;
}

function answerFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  report: (error: unknown) => void,
): FastifyReply {
  if (error instanceof ValidationFailure) return reply.code(422).send({ detail: error.detail });
  if (error instanceof Failure) {
    if (error.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer');
    return reply.code(error.status).send(failureEnvelope(error.code, error.message));
  }
  if (OpenVikingError.is(error) && error.code === 'uri/invalid') {
    const message = error.next === undefined ? error.message : `${error.message} ${error.next}`;
    return reply.code(400).send(failureEnvelope('INVALID_ARGUMENT', message));
  }
  if (systemCode(error) === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return reply
      .code(413)
      .send(failureEnvelope('PAYLOAD_TOO_LARGE', `The body is larger than ${BODY_LIMIT_BYTES / 1024 / 1024} MB.`));
  const status = (error as { statusCode?: number }).statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return reply.code(status).send(failureEnvelope('INVALID_ARGUMENT', (error as Error).message));
  report(error);
  return reply
    .code(500)
    .send(
      failureEnvelope('INTERNAL', `${request.method} ${pathOf(request)} failed inside the server; see its output.`),
    );
}

/**
 * Reads on to the end of a body that is refused: a client that is still sending when the connection closes sees a broken
 * connection, which it would try again, in place of the answer, which it would not.
 */
function drained(body: IncomingMessage): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, DRAIN_WAIT_MS);
    for (const event of ['end', 'close', 'error'])
      body.once(event, () => {
        clearTimeout(timer);
        done();
      });
    body.resume();
  });
}

/** Without the query: it may hold what a user typed. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
