import { Transient } from '../../core/text/errors.ts';

/** Characters of a value. */
const valueAtMost = 200;

/** The text, number or truth value at a place like `result.0.state`; undefined: nothing is there. Only an object's own
 *  keys are followed. Throws Transient for what is no JSON, or no value to compare. */
export function valueAt(body: string, path: string): string | undefined {
  let found: unknown = parsed(body);
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Object.entries(found).find(([each]) => each === key)?.[1];
  }
  if (found === null || found === undefined) return undefined;
  if (typeof found === 'object') throw new Transient(`what stands at ${path} is no value`);
  const text = String(found);
  if (text.length > valueAtMost) throw new Transient(`the value at ${path} is too long`);
  return text;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Transient('the answer is no JSON');
  }
}
