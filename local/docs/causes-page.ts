import { catalogue } from '../../functions/core/diagnose/catalogue.ts';

/** docs/causes.md, from the catalogue. @param proofs test files by code, as paths from the root */
export function causesPage(proofs: ReadonlyMap<string, readonly string[]>): string {
  const families = catalogue.map(({ name, about, causes }) =>
    [
      `## ${name}`,
      '',
      about,
      ...causes.flatMap((cause) => [
        '',
        `### ${cause.code}`,
        '',
        `**${cause.title}.** ${cause.meaning}`,
        '',
        `- Known by: ${cause.knownBy}`,
        `- Do: ${cause.remedy}`,
        ...(cause.notFor === undefined ? [] : [`- Not where: ${cause.notFor}`]),
        ...(cause.sources === undefined ? [] : [`- Source: ${cause.sources.map((url) => `<${url}>`).join(', ')}`]),
        `- Proven by: ${(proofs.get(cause.code) ?? []).map((path) => `[${path}](../${path})`).join(', ')}`,
      ]),
    ].join('\n'),
  );
  return `${[opening, ...families].join('\n\n')}\n`;
}

const opening = `# Causes

Every finding that Poolkeeper can tell, by the code that stands in its messages. Written by \`npm run docs\` from the catalogue in
functions/core/diagnose/catalogue/; the running service shows the same under \`/causes\`.

A message names the deepest finding of a chain as the cause, and the chain above it as the way there: *worker-2 cannot be drained (D1),
because PDB shop/web needs two healthy pods and has one (P3), because web-b can only run on worker-2 (self-deadlock)*.

How sure a finding is: \`certain\`, seen on an object that decides it; \`strong\`, recomputed from current objects, or a text that can
mean nothing else; \`likely\`, one indirect sign, or a text that mostly means this; \`possible\`, one of several causes that fit, each with
a command that tells them apart. A read that failed lowers it by a step, and the message says which read it was.`;
