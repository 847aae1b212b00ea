/** What of one line may be a command: every text in quotes, and all of them together. What is only said or compared
 *  is none; whatever else a text is kept or passed for, it may be run. */
export function commandsOfLiterals(code: string): readonly string[] {
  const literals = [...code.matchAll(/"[^"]*"|'[^']*'/g)].flatMap(({ index, 0: quoted }) => {
    const text = quoted.slice(1, -1);
    const before = code.slice(Math.max(0, index - longestBefore), index);
    const after = code.slice(index + quoted.length, index + quoted.length + longestAfter);
    return isSaid(before, after) || isCompared.test(before) || isSentence.test(text) ? [] : [text];
  });
  if (literals.length <= 1) return literals;
  return [literals.join(' '), ...literals.filter((one) => one.includes(' '))];
}

/** Characters before and after a text in quotes that tell what it is for. */
const longestBefore = 80;
const longestAfter = 200;

const isCompared = /(?:[=!]=|\beq|\bne)\s{0,4}$/;

/** No program has such a name, and nothing follows that a shell would run. */
const isSentence = /^[A-Z][a-z]+ [^;&|`$()\n]*$/;

/** Directly behind what only prints it. Printed into a pipe or file it may be run. */
function isSaid(before: string, after: string): boolean {
  const isMessage =
    /(?:(?<![\w.>$])(?:log|die|warn|print|puts|(?:raise|throw)\s(?:new\s)?\w{1,40})|(?:\.|->)(?:debug|info|warn|warning|error|critical|exception|fatal)|console\.log)\s{0,4}\(?\s{0,4}[fru]?$/i;
  return isMessage.test(before) && !/[|>]|\bfile\s?=/.test(after);
}
