import { type AttackText, attackOf, attackTexts } from './attack-texts.ts';
import { type StepCounter, stepCounter } from './count-steps.ts';
import { parseRegex, type RegexNode } from './parse-regex.ts';

/** Steps for each character beyond which also what is linear takes too long: a megabyte is about half a second. */
const mostPerCharacter = 250;

/** A text with which the pattern's steps grow faster than its length, in words; undefined: none was found. */
export function superlinearText(source: string, flags: string): string | undefined {
  const whole = parseRegex(source);
  if (!mayRepeat(whole)) return undefined;
  const counter = stepCounter(whole, flags);
  for (const node of alternatives(whole).filter(mayRepeat)) {
    const found = hardestOf(attackTexts(node, flags), counter);
    if (found !== undefined) return inWords(found);
  }
  return undefined;
}

function hardestOf(texts: readonly AttackText[], counter: StepCounter): AttackText | undefined {
  // What grows up to a bound and not beyond is no finding: a few such texts are played at length.
  let bounded = 0;
  for (const text of texts) {
    if (!growsFaster(text, counter, [8, 32])) continue;
    if (growsFaster(text, counter, [Math.ceil(1_000 / text.pump.length)])) return text;
    bounded += 1;
    if (bounded === 3) break;
  }
  return undefined;
}

function inWords({ lead, pump, tail }: AttackText): string {
  return `${JSON.stringify(lead)} + ${JSON.stringify(pump)} x n + ${JSON.stringify(tail)}`;
}

/** Four times the text is four times the work, and a little more. A few repeats sort out what is clearly linear. */
function growsFaster(text: AttackText, { count }: StepCounter, sizes: readonly number[]): boolean {
  return sizes.every((repeats) => {
    const [once, fourTimes] = [attackOf(text, repeats), attackOf(text, 4 * repeats)];
    const most = mostPerCharacter * fourTimes.length;
    const steps = count(fourTimes, most);
    return steps >= most || steps > 6 * count(once, most);
  });
}

/** `(?:a|b)c` is looked at as `ac` and `bc`, so that each has texts of its own. */
function alternatives(node: RegexNode): readonly RegexNode[] {
  if (node.kind === 'either') return node.options.flatMap(alternatives);
  if (node.kind !== 'sequence') return [node];
  const at = node.parts.findIndex(({ kind }) => kind === 'either' || kind === 'sequence');
  const part = node.parts[at];
  if (part === undefined) return [node];
  const options = part.kind === 'either' ? part.options : [part];
  return options.flatMap((option) => {
    const inner = option.kind === 'sequence' ? option.parts : [option];
    return alternatives({
      kind: 'sequence',
      parts: [...node.parts.slice(0, at), ...inner, ...node.parts.slice(at + 1)],
    });
  });
}

/** Whatever repeats only a few times cannot take long. */
function mayRepeat(node: RegexNode): boolean {
  switch (node.kind) {
    case 'repeat':
      return node.max > 16 || mayRepeat(node.of);
    case 'sequence':
      return node.parts.some(mayRepeat);
    case 'either':
      return node.options.some(mayRepeat);
    case 'look':
      return mayRepeat(node.of);
    case 'one':
    case 'place':
      return false;
    default:
      return node satisfies never;
  }
}
