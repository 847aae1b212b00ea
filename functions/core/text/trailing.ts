/** The text without these characters at its end, however many stand there. In one pass: `/x+$/` looks at a run that
 *  something follows once for each of its characters. */
export function withoutTrailing(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
