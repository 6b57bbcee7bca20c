/**
 * Cuts text into the words that are indexed and asked for. FTS5's own tokenizers take a Chinese sentence for one word
 * (or, as trigrams, miss every two-character word), so runs without spaces are cut into pairs here, for both sides alike.
 */

/** Scripts that are written without spaces, or (Hangul) with endings glued on: cut into overlapping pairs. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const SEGMENT = /[\p{L}\p{N}\p{M}]+/gu;
const CAMEL_BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** A piece of text that is either one spaced word or one run of an unspaced script. */
interface Piece {
  readonly text: string;
  readonly unspaced: boolean;
}

/** The words of `text` for the index, in order, repeated words kept: space-separated they are what FTS5 stores. */
export function indexWords(text: string): string[] {
  const words: string[] = [];
  for (const piece of pieces(text)) {
    if (!piece.unspaced) words.push(...spacedWords(piece.text));
    else {
      const characters = [...piece.text];
      words.push(...pairs(characters));
      // The last character on its own makes `x*` find x at every position of a run, for one-character questions.
      words.push(characters.at(-1) as string);
    }
  }
  return words;
}

/** One thing to look for. `prefix` stands for a single character of an unspaced script: any pair starting with it. */
export interface QueryWord {
  readonly text: string;
  readonly prefix: boolean;
}

/** The distinct words of a question, without the words that every question has. */
export function queryWords(text: string): QueryWord[] {
  const words = new Set<string>();
  const single = new Set<string>();
  for (const piece of pieces(text)) {
    if (!piece.unspaced) {
      for (const word of spacedWords(piece.text)) if (!isCommonWord(word)) words.add(word);
      continue;
    }
    for (const run of piece.text.split(UNSPACED_FILLERS)) {
      const characters = [...run];
      if (characters.length === 1) single.add(run);
      for (const pair of pairs(characters)) words.add(pair);
    }
  }
  // One character matches nearly everything: it counts only where the question has nothing else.
  return words.size > 0
    ? [...words].map((word) => ({ text: word, prefix: false }))
    : [...single].map((character) => ({ text: character, prefix: true }));
}

function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  for (const [segment] of text.normalize('NFKC').matchAll(SEGMENT)) {
    let run = '';
    let unspaced = false;
    for (const character of segment) {
      const isUnspaced = UNSPACED.test(character);
      if (run !== '' && isUnspaced !== unspaced) {
        found.push({ text: run, unspaced });
        run = '';
      }
      run += character;
      unspaced = isUnspaced;
    }
    found.push({ text: run, unspaced });
  }
  return found;
}

/** `getUserName` is asked for as one word and by its parts. */
function spacedWords(text: string): string[] {
  const whole = text.toLowerCase();
  const parts = text.split(CAMEL_BOUNDARY);
  return parts.length === 1 ? [whole] : [whole, ...parts.map((part) => part.toLowerCase())];
}

function pairs(characters: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at + 1 < characters.length; at += 1) found.push(`${characters[at]}${characters[at + 1]}`);
  return found;
}

function isCommonWord(word: string): boolean {
  // A lone letter or digit says nothing: it is what is left of "don't", "v2.1" or a list number.
  return COMMON_WORDS.has(word) || (word.length === 1 && word < '\u0100');
}

const COMMON_WORDS = new Set(
  (
    'a about above after again all also am an and any are as at be because been before being below between both but by can ' +
    'could did do does doing done down each few for from further get had has have having he her here hers him his how i if ' +
    'in into is it its just let ll me more most my need no nor not now of off ok okay on once one only or other our out over ' +
    'own please re same shall she should so some such tell than thank thanks that the their them then there these they ' +
    'this those through to too under until up us ve very want was we were what when where which while who whom whose why ' +
    'will with would yes you your yours'
  ).split(' '),
);

/** Words of unspaced scripts that only shape the sentence; cutting a run there keeps pairs from straddling them. */
const UNSPACED_FILLERS = new RegExp(
  (
    '为什么|怎么样|是什么|有没有|是不是|能不能|可不可以|请问一下|什么样|哪一个|请告诉|告诉我|什么|怎么|怎样|如何|哪个|哪些|哪里|哪种|为何|多少|请问|请你|麻烦|' +
    '我们|你们|他们|咱们|这个|那个|这些|那些|一下|一个|可以|需要|应该|现在|还是|或者|以及|因为|所以|但是|如果|就是|知道|' +
    '的|了|吗|呢|吧|啊|呀|嘛|么|是|我|你|您|他|她|请|です|ます|ください|でしょうか'
  )
    .split('|')
    .sort((left, right) => right.length - left.length)
    .join('|'),
  'u',
);
