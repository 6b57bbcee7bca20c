/** Bundles that lie beside the running one and are loaded only when they are needed: `filters.cjs`, `proxy.cjs`, `secrets.cjs`, `seldom.cjs`. */
import { inside } from '../fs/path.ts';
import type { FiltersModule } from '../privacy/filters-load.ts';
import type { ProxyModule } from '../http/transport.ts';
import type { SecretsModule } from '../privacy/redact.ts';
import type { SeldomModule } from './seldom-load.ts';

/* `require` and `__dirname` exist in the bundles, which are CommonJS. */
declare const require: (path: string) => unknown;
declare const __dirname: string;

export function loadProxy(): ProxyModule {
  return require(inside(__dirname, 'proxy.cjs')) as ProxyModule;
}

export function loadFilters(): FiltersModule {
  return require(inside(__dirname, 'filters.cjs')) as FiltersModule;
}

export function loadSecrets(): SecretsModule {
  return require(inside(__dirname, 'secrets.cjs')) as SecretsModule;
}

export function loadSeldom(): SeldomModule {
  return require(inside(__dirname, 'seldom.cjs')) as SeldomModule;
}

/** Absolute path of a bundle beside the running one. */
export function neighbourPath(file: string): string {
  return inside(__dirname, file);
}
