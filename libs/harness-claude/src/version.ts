/** The version of this harness: what the plugin carries, so that the client sees an upgrade. */
import packageJson from '../package.json' with { type: 'json' };

export const VERSION = packageJson.version;
