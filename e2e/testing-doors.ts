/** What plain Node programs get: see `load-testing.mjs`, which puts the first door's part outside of jest in its place. */
export * from '@openviking/memory-core/testing';
export * from '@openviking/harness-zcode/testing';
