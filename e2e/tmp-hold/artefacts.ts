import { join } from 'node:path';
export const ROOT = join(import.meta.dirname, '..', '..');
export const ZCODE_PAYLOAD = join(ROOT, 'libs/harness-zcode/dist/payload');
