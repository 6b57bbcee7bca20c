/** The version of the package, from the one place where releases write it. */
import packageJson from '../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;
