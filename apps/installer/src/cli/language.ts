/** Which language to speak: known before the command line is judged, because its mistakes are told in it too. */
import { CHINESE } from './messages-zh.ts';
import { ENGLISH } from './messages-en.ts';
import type { Messages } from './messages-en.ts';

/** `--lang`, then `OPENVIKING_LANG`, `LC_ALL`, `LANG`; English when none of them says Chinese. */
export function chooseLanguage(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Messages {
  const flag = args.findLastIndex((argument) => argument === '--lang' || argument.startsWith('--lang='));
  const typed = flag === -1 ? undefined : (args[flag]?.split('=')[1] ?? args[flag + 1]);
  const wanted = [typed, env['OPENVIKING_LANG'], env['LC_ALL'], env['LANG']].find(
    (value) => value !== undefined && value.trim() !== '',
  );
  return /^zh/i.test(wanted?.trim() ?? '') ? CHINESE : ENGLISH;
}
