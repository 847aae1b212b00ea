/** Removes these characters from the end of a text, in linear time; `/x+$/` is quadratic on runs that are not at the
 *  end. */
export function withoutTrailing(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
