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
  const known: Known = new Map();
  for (const node of alternatives(whole).filter(mayRepeat)) {
    const found = hardestOf(attackTexts(node, flags), counter, known);
    if (found !== undefined) return inWords(found);
  }
  return undefined;
}

/** Whether a few repeats of a text grow faster: the alternatives of a pattern share many texts. */
type Known = Map<string, boolean>;

function hardestOf(texts: readonly AttackText[], counter: StepCounter, known: Known): AttackText | undefined {
  // What grows up to a bound and not beyond is no finding: a few such texts are played at length.
  let bounded = 0;
  for (const text of texts) {
    if (!growsAtFirst(text, counter, known)) continue;
    if (growsFaster(text, counter, [Math.ceil(1_000 / text.pump.length)])) return text;
    bounded += 1;
    if (bounded === 3) break;
  }
  return undefined;
}

function growsAtFirst(text: AttackText, counter: StepCounter, known: Known): boolean {
  const key = JSON.stringify([text.lead, text.pump, text.tail]);
  const grows = known.get(key) ?? growsFaster(text, counter, [8, 32]);
  known.set(key, grows);
  return grows;
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
