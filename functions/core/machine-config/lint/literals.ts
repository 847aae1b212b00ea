/** What starts a program in Python, Perl and others, and what is kept to be started. */
const starts =
  /\b(?:system|popen|Popen|run|call|check_call|check_output|getoutput|getstatusoutput|exec[a-z]{0,3}|spawn[a-z]{0,3}|qx)\s{0,4}[("'[]|\s=\s{0,4}[("'[]/;

/** What of one line may be a command: every text in quotes, and all of them together. In a message or a list of words
 *  it is none. */
export function commandsOfLiterals(code: string): readonly string[] {
  if (!starts.test(code)) return [];
  const literals = (code.match(/"[^"]*"|'[^']*'/g) ?? []).map((literal) => literal.slice(1, -1));
  if (literals.length <= 1) return literals;
  return [literals.join(' '), ...literals.filter((one) => one.includes(' '))];
}
