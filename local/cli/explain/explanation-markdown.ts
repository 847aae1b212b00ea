import type { Finding } from '../../../functions/core/findings/trouble.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import {
  busyWords,
  calmWords,
  changeWords,
  earlyWords,
  explainFinding,
  incidentWords,
  nameWords,
  restWords,
  stateWords,
} from './explain-finding.ts';
import type { AskedNode, ExplainedTrouble, Explanation, PoolExplanation } from './explanation.ts';
import { shownTroubles } from './shown-troubles.ts';

/** For a ticket. No text from the cluster becomes markup. */
export function explanationMarkdown({ cluster, readAt, incident, pools, notRead }: Explanation): string {
  const parts = [
    `# ${escaped(nameWords(cluster))}\n\nRead ${readAt} by Poolkeeper.`,
    ...(incident === undefined ? [] : [escaped(incidentWords(incident))]),
    ...pools.map((pool) => poolPart(pool, readAt)),
    ...(notRead.length === 0 ? [] : [`## Not read, so not known to be fine\n\n${items(notRead)}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function poolPart(pool: PoolExplanation, readAt: string): string {
  const { name, asked, pause, early } = pool;
  const calm = calmWords(pool);
  const busy = busyWords(pool, readAt);
  return [
    `## Pool ${escaped(nameWords(name))}`,
    `${escaped(stateWords(pool))}.`,
    ...changeWords(pool).map(escaped),
    ...(busy.length === 0 ? [] : [items(busy)]),
    ...(pause === undefined ? [] : [escaped(safeLine(pause.sentence, 700))]),
    ...(asked === undefined ? [] : [nodePart(asked)]),
    ...shownTroubles(pool).map(troublePart),
    ...early.flatMap((drain) => [escaped(earlyWords(drain)), ...drain.findings.map(findingPart)]),
    ...(calm === undefined ? [] : [calm]),
  ].join('\n\n');
}

function nodePart(asked: AskedNode): string {
  const { node, symptom, findings } = asked;
  const head = `### Node ${escaped(nameWords(node))}${symptom === undefined ? ` ${escaped(restWords(asked))}` : `: ${symptom}`}`;
  return [head, ...findings.map(findingPart)].join('\n\n');
}

function troublePart({ headline, severity, facts, findings }: ExplainedTrouble): string {
  return [
    `### ${severity}: ${escaped(safeLine(headline, 300))}`,
    ...findings.map(findingPart),
    items(facts.map(({ label, value }) => `${label}: ${safeLine(value, 300)}`)),
  ].join('\n\n');
}

function findingPart(finding: Finding): string {
  const { cause, code, title, confidence, chain, remedies, evidence } = explainFinding(finding);
  return [
    `**Why:** ${escaped(cause)} (${code}${title === '' ? '' : `, ${escaped(title)}`}; ${confidence})`,
    ...(chain.length === 0
      ? []
      : [`**Chain of causes:**\n\n${chain.map((each, index) => `${index + 1}. ${escaped(each)}`).join('\n')}`]),
    ...(remedies.length === 0
      ? []
      : [
          `**Do this:**\n\n${remedies
            .map(({ title: what, risk, who, command, undo }, index) =>
              [
                `${index + 1}. ${escaped(what)} (${risk}, ${who})`,
                ...(command === undefined ? [] : [`   - \`${command}\``]),
                ...(undo === undefined ? [] : [`   - undo: \`${undo}\``]),
              ].join('\n'),
            )
            .join('\n')}`,
        ]),
    ...(evidence.length === 0
      ? []
      : [
          [
            '| object | field | value | read |',
            '|---|---|---|---|',
            ...evidence.map(
              ({ object, path, value, readAt }) =>
                `| ${escaped(object)} | ${escaped(path)} | ${escaped(value)} | ${readAt} |`,
            ),
          ].join('\n'),
        ]),
  ].join('\n\n');
}

function items(texts: readonly string[]): string {
  return texts.map((text) => `- ${escaped(safeLine(text, 700))}`).join('\n');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>#|~@]/g, (letter) => (letter === '@' ? '@\u200B' : `\\${letter}`));
}
