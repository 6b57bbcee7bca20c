/** The language, asked only where nothing tells it: a container or a service has no locale. */
import { chooseLanguage } from '../cli/language.ts';
import { interrupted } from '../cli/interruption.ts';
import type { Messages } from '../cli/messages-en.ts';
import type { Prompter } from './prompter.ts';

/** Locales that name no language. */
const NEUTRAL = /^(C|POSIX)(\.|$)/i;

/** False where neither `--lang` nor the environment names a language. */
export function isLanguageKnown(env: Readonly<Record<string, string | undefined>>, typed: string | undefined): boolean {
  const wanted = [typed, env['OPENVIKING_LANG'], env['LC_ALL'], env['LANG']].find(
    (value) => value !== undefined && value.trim() !== '',
  );
  return wanted !== undefined && !NEUTRAL.test(wanted.trim());
}

/** Asks in both languages. Throws the refusal of an interruption when the user leaves. */
export async function askLanguage(prompter: Prompter): Promise<Messages> {
  const language = await prompter.chooseOne({
    message: 'Language / 语言',
    choices: [
      { value: 'en', label: 'English' },
      { value: 'zh', label: '中文' },
    ],
    preset: 'en',
  });
  if (language === undefined) throw interrupted();
  return chooseLanguage(['--lang', language], {});
}
