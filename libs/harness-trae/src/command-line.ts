/**
 * The command lines of the client's hooks, and how ours are recognised again. On Windows the client's sandbox passes a hook
 * on as one argument and splits it at quotes and blanks, so the line holds neither: PowerShell takes it encoded.
 * Source: https://github.com/rullerzhou-afk/clawd-on-desk, docs/guides/setup-guide.md (TRAE CN 3.3.94, Windows and macOS).
 */
import type { WiringContext } from '../vendor/memory-core/hot.ts';

const ENCODED = /-EncodedCommand\s+([A-Za-z0-9+/=]+)/i;

/** The line that starts `entry` through the launcher. */
export function hookCommand({ launcher, platform }: WiringContext, entry: string): string {
  if (platform !== 'win32') return `'${launcher.replaceAll("'", "'\\''")}' ${entry}`;
  const script = `& '${launcher.replaceAll("'", "''")}' ${entry}`;
  const encoded = Buffer.from(script, 'utf16le').toString('base64');
  return `powershell.exe -NoLogo -NoProfile -NonInteractive -EncodedCommand ${encoded}`;
}

/** A line with what it hides behind an encoding written out, and with `/` in paths. */
export function readableCommand(line: string): string {
  const encoded = ENCODED.exec(line)?.[1];
  const plain = encoded === undefined ? line : Buffer.from(encoded, 'base64').toString('utf16le');
  return plain.replaceAll('\\', '/');
}
