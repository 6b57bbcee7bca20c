/**
 * Says whether a text is worth a memory. Acknowledgements and commands to the client say nothing about the user; stored,
 * they would only push real memories out of the results.
 *
 * Length is counted in seen characters other than blanks, one at or above U+3000 twice: two Chinese characters say what a
 * short English word does ("登录", "login"), so a limit of 3 must not drop them.
 */

/** Longest text that can still be nothing but acknowledgement, in UTF-16 units. */
const LONGEST_ACKNOWLEDGEMENT = 48;

/** Words that acknowledge, alone or together: "ok thanks", "yes please go on". */
const WORDS: ReadonlySet<string> = new Set(
  (
    'ok okay okey k kk thanks thank thx ty cheers you please pls yes yep yeah yup y no nope nah n sure right correct exactly ' +
    'go on ahead continue proceed next carry resume great good nice cool fine perfect awesome excellent super wow well done ' +
    'got it do that thats all alright sounds looks lgtm agreed understood i see hi hello hey bye and so very much a lot ' +
    'oui non merci ja nein danke si sí gracias vale да нет спасибо'
  ).split(' '),
);

/** The same for scripts without blanks between words; particles that only go along are listed too. */
const PHRASES =
  '好的 好 好吧 好滴 行 行吧 可以 可以的 嗯 嗯嗯 恩 是 是的 对 对的 對 對的 没错 沒錯 没问题 沒問題 谢谢 謝謝 感谢 感謝 多谢 多謝 你 您 ' +
  '辛苦 辛苦了 继续 繼續 请 請 请继续 下一步 知道 知道了 明白 了解 瞭解 收到 懂 懂了 不 不用 不用了 不是 不需要 没有 沒有 确认 確認 同意 ' +
  '赞 讚 棒 很棒 很好 太好 太好了 太棒了 不错 不錯 完美 当然 當然 开始 開始 开始吧 来吧 完成 完成了 哦 噢 喔 啊 呀 吧 呢 了 的 啦 哈 嗨 ' +
  '你好 您好 再见 就这样 这样 吗 はい いいえ うん ありがとう ありがとうございます お願いします 続けて ください 了解です です ' +
  '네 예 아니요 감사합니다 고마워 고마워요 좋아 좋아요 계속 계속해 알겠습니다';

/**
 * Letters and digits that nearly every text has. The first use of a Unicode class costs a process milliseconds: it is asked
 * only where these do not settle the question.
 */
const COMMON = /[A-Za-z0-9\u4e00-\u9fff]/;

/** False for acknowledgements, client commands, texts without a letter or digit, and texts shorter than `minLength`. */
export function isMemorable(text: string, minLength: number): boolean {
  const seen = text.trim();
  if (!COMMON.test(seen) && !/[\p{L}\p{N}]/u.test(seen)) return false;
  if (isCommand(seen)) return false;
  if (isShorterThan(seen, minLength)) return false;
  return seen.length > LONGEST_ACKNOWLEDGEMENT || !isAcknowledgement(seen);
}

/**
 * A slash command with at most one short argument (`/compact`, `/model fast`). One with a sentence behind it says
 * something, and a path such as `/etc/hosts` is no command.
 */
function isCommand(text: string): boolean {
  return text.startsWith('/') && /^\/[A-Za-z][\w:-]*(?:[ \t]+[\w.:@=-]+)?$/.test(text);
}

function isShorterThan(text: string, minLength: number): boolean {
  let length = 0;
  for (const character of text) {
    if (isSeen(character)) length += character >= '\u3000' ? 2 : 1;
    if (length >= minLength) return false;
  }
  return length < minLength;
}

function isSeen(character: string): boolean {
  if (character <= '~') return character > ' ';
  return COMMON.test(character) || !/[\s\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character);
}

function isAcknowledgement(text: string): boolean {
  const isAscii = /^[ -~]*$/.test(text);
  const words = (isAscii ? text : text.normalize('NFKC'))
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(isAscii ? /[^a-z0-9]+/ : /[^\p{L}\p{N}\p{M}]+/u);
  let phrases: ReadonlySet<string> | undefined;
  const isPhrase = (part: string): boolean => (phrases ??= new Set(PHRASES.split(' '))).has(part);
  return words.every(
    (word) => word === '' || WORDS.has(word) || (/[^\0-\u2fff]/.test(word) && isPhrases(word, isPhrase)),
  );
}

/** True when `run` can be cut into listed phrases and words without rest ("好的谢谢", "ok好的"). */
function isPhrases(run: string, isPhrase: (part: string) => boolean): boolean {
  const reachable = new Set([0]);
  for (let start = 0; start < run.length; start += 1) {
    if (!reachable.has(start)) continue;
    for (let end = start + 1; end <= Math.min(run.length, start + LONGEST_ACKNOWLEDGEMENT); end += 1) {
      const part = run.slice(start, end);
      if (isPhrase(part) || WORDS.has(part)) reachable.add(end);
    }
  }
  return reachable.has(run.length);
}
