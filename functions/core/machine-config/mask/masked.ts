/** Shown instead of what may be secret. */
export const masked = '[masked]';

/** Stands between the lines of one command while they are masked together: a blank that no cleaned text holds. */
export const lineBreak = '\f';

/** Nothing of a text but the blanks around it, for each of its lines. */
export function hide(text: string): string {
  return text.split(lineBreak).map(hideLine).join(lineBreak);
}

function hideLine(line: string): string {
  const rest = line.trimStart();
  if (rest === '') return line;
  return `${line.slice(0, line.length - rest.length)}${masked}${rest.slice(rest.trimEnd().length)}`;
}
