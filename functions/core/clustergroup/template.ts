import { at, textOf, type Values } from './values.ts';

/** `$.Values.global.clusterPlatform`, with or without the `$`. */
const lookup = /^\$?\.Values((?:\.\w+)+)$/;

/** Text whose templates are plain look-ups of values, which is what public patterns have; undefined: it has another
 *  one. A value that is missing leaves nothing behind. */
export function renderTemplate(text: string, values: Values): string | undefined {
  const [start = '', ...actions] = text.split('{{');
  const rendered = [start];
  for (const action of actions) {
    const end = action.indexOf('}}');
    const found = end === -1 ? undefined : valueOfLookup(action.slice(0, end), values);
    if (found === undefined) return undefined;
    rendered.push(found, action.slice(end + 2));
  }
  return rendered.join('');
}

/** Dashes that trim white space around an action are none within a path. */
function valueOfLookup(action: string, values: Values): string | undefined {
  const expression = action.replace(/^-/, '').replace(/-$/, '').trim();
  const [, path] = lookup.exec(expression) ?? [];
  if (path === undefined) return undefined;
  return textOf(at(values, ...path.slice(1).split('.'))) ?? '';
}
