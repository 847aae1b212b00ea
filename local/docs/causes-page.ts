import { catalogue } from '../../functions/core/diagnose/catalogue.ts';

/** docs/causes.md, from the catalogue. */
export function causesPage(): string {
  const families = catalogue.map(({ name, about, causes }) =>
    [
      `## ${name}`,
      '',
      about,
      ...causes.flatMap(({ code, title, meaning, knownBy, remedy, notFor, sources }) => [
        '',
        `### ${code}`,
        '',
        `**${title}.** ${meaning}`,
        '',
        `- Do: ${remedy}${(sources ?? []).map((url) => ` ([source](${url}))`).join('')}`,
        ...(notFor === undefined ? [] : [`- Not where: ${notFor}`]),
        ...(knownBy === undefined ? [] : [`- Known by: ${knownBy}`]),
      ]),
    ].join('\n'),
  );
  return `${[opening, ...families].join('\n\n')}\n`;
}

const opening = `# Causes

Every finding by the code in its messages; the running service shows the same under \`/causes\`. Written by \`npm run docs\` from functions/core/diagnose/catalogue/.

A message names the deepest finding of a chain as the cause, with the chain above it: *worker-2 cannot be drained (D1), because PDB shop/web needs
two healthy pods and has one (P3), because web-b can only run on worker-2 (self-deadlock)*.

| confidence | means |
|---|---|
| \`certain\` | seen on an object that decides it |
| \`strong\` | recomputed from current objects, or a text that can mean nothing else |
| \`likely\` | one indirect sign, or a text that mostly means this |
| \`possible\` | one of several causes that fit, each with a command that tells them apart |

A read that failed lowers it by a step; the message says which.`;
