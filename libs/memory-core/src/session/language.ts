/** The language in which a user of hooks is spoken to: they have no option for it. */

/** By `OPENVIKING_LANG`, else by the locale, in the order of setlocale(3). */
export function speaksChinese(env: Readonly<Record<string, string | undefined>>): boolean {
  const names = ['OPENVIKING_LANG', 'LC_ALL', 'LC_MESSAGES', 'LANG'];
  const language = names.map((name) => env[name] ?? '').find((value) => value !== '');
  return language !== undefined && /^zh/i.test(language);
}
