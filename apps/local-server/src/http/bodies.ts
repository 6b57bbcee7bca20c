/** Shapes of request bodies. Strict where an OpenViking server is strict: clients find out capabilities by a refusal. */
import { z } from 'zod';

const telemetry = z.union([z.boolean(), z.looseObject({})]).optional();
const count = z.number().int();

const autoCommitPolicy = z.strictObject({
  pending_token_threshold: count.optional(),
  message_count_threshold: count.optional(),
  idle_timeout_seconds: count.optional(),
  keep_recent_count: count.optional(),
  min_commit_interval_seconds: count.optional(),
});

const memoryExtractionConfig = z.strictObject({
  events: z.strictObject({ tags: z.array(z.string()).optional() }).optional(),
});

const memoryPolicy = z.strictObject({
  self: z.looseObject({}).optional(),
  peer: z.looseObject({}).optional(),
  working_memory: z.looseObject({}).optional(),
  memory_types: z.array(z.string()).nullish(),
});

export const createSessionBody = z
  .strictObject({
    session_id: z.string().nullish(),
    auto_commit_policy: autoCommitPolicy.nullish(),
    memory_policy: memoryPolicy.nullish(),
    memory_extraction_config: memoryExtractionConfig.nullish(),
    telemetry,
  })
  .prefault({});

export const sessionConfigBody = z.strictObject({
  auto_commit_policy: autoCommitPolicy.nullable().optional(),
  memory_extraction_config: memoryExtractionConfig.optional(),
  telemetry,
});

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('context'),
    uri: z.string(),
    context_type: z.string().optional(),
    abstract: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('tool'),
    tool_id: z.string(),
    tool_name: z.string(),
    tool_input: z.record(z.string(), z.unknown()).nullish(),
    tool_output: z.string().nullish(),
    tool_status: z.enum(['pending', 'running', 'completed', 'error']).optional(),
  }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
]);

export const messageBody = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.string().nullish(),
    parts: z.array(part).nullish(),
    peer_id: z.string().nullish(),
    turn_id: z.string().nullish(),
    created_at: z.string().nullish(),
    message_kind: z.string().nullish(),
    source_message_ids: z.array(z.string()).nullish(),
  })
  .refine((message) => typeof message.content === 'string' || Array.isArray(message.parts), {
    message: 'Either content or parts is required',
    path: ['content'],
  });

export type MessageBody = z.output<typeof messageBody>;

export const messageBatchBody = z.object({ messages: z.array(messageBody).max(100) });

export const commitBody = z
  .object({ keep_recent_count: count.min(0).max(10_000).optional(), telemetry })
  .nullish()
  .transform((body) => body ?? {});

export const usedBody = z.object({
  contexts: z.array(z.string()).nullish(),
  skill: z.looseObject({}).nullish(),
});

const uriOrUris = z.union([z.string(), z.array(z.string())]);
const score = z.number();

/** Fields of a list search. Those marked as not supported here are accepted and have no effect: they narrow nothing. */
const listFields = {
  query: z.string(),
  target_uri: uriOrUris.nullish(),
  limit: count.min(1).max(1_000).nullish(),
  node_limit: count.min(1).max(1_000).nullish(),
  score_threshold: score.nullish(),
  context_type: uriOrUris.nullish(),
  level: z.union([z.string(), count, z.array(count)]).nullish(),
  include_provenance: z.boolean().optional(),
  read_content: z.boolean().optional(),
  telemetry,
};

export const findBody = z.strictObject(listFields);

/** Fields that only the context face knows. */
export const CONTEXT_FIELDS = [
  'purpose',
  'query_expansion',
  'max_tokens',
  'quotas',
  'detail',
  'dedup_turns',
  'exclude_uris',
  'peer_scope',
  'other_peer_penalty',
  'rewrite',
  'rewrite_max_bullets',
] as const;

export const QUOTA_CATEGORIES = ['events', 'entities', 'preferences', 'experiences', 'resources', 'skills'] as const;

export const searchBody = z.strictObject({
  ...listFields,
  session_id: z.string().nullish(),
  mode: z.enum(['list', 'context']).default('list'),
  purpose: z.enum(['chat', 'coding']).nullish(),
  query_expansion: z.enum(['auto', 'off']).nullish(),
  max_tokens: count.min(1).max(1_000_000).nullish(),
  quotas: z.record(z.string(), count.min(0)).nullish(),
  detail: z.union([z.string(), z.looseObject({})]).nullish(),
  dedup_turns: count.min(0).max(1_000).nullish(),
  exclude_uris: z.array(z.string()).max(200).nullish(),
  peer_scope: z.enum(['actor', 'all']).nullish(),
  other_peer_penalty: z.union([z.number(), z.looseObject({})]).nullish(),
  rewrite: z.union([z.boolean(), z.literal('auto')]).nullish(),
  rewrite_max_bullets: count.min(1).max(20).nullish(),
});

export type SearchBody = z.output<typeof searchBody>;

export const recallBody = z.strictObject({
  query: z.string(),
  quotas: z.record(z.string(), count.min(0)).nullish(),
  max_chars: count.min(1).nullish(),
  min_score: score.nullish(),
  render: z.boolean().optional(),
  peer_scope: z.enum(['actor', 'all']).nullish(),
  telemetry,
});
