import { anchorOf } from '../../../functions/core/diagnose/cause-titles.ts';
import type { Finding } from '../../../functions/core/findings/trouble.ts';
import { type Indent, wrap } from '../../../functions/core/text/columns.ts';
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

/** For a terminal. Commands are on lines of their own, unbroken, so that they can be copied. */
export function explanationText({ cluster, readAt, incident, pools, notRead }: Explanation): string {
  const parts = [
    [`${nameWords(cluster)}, read ${readAt}`],
    ...(incident === undefined ? [] : [plain(incidentWords(incident))]),
    ...pools.map((pool) => poolLines(pool, readAt)),
    ...(notRead.length === 0 ? [] : [['NOT READ, so not known to be fine', ...notRead.flatMap(bullet)]]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function poolLines(pool: PoolExplanation, readAt: string): readonly string[] {
  const { name, asked, pause, early } = pool;
  const calm = calmWords(pool);
  return [
    `POOL ${nameWords(name)}: ${stateWords(pool)}`,
    ...changeWords(pool).flatMap(plain),
    ...busyWords(pool, readAt).flatMap(bullet),
    ...(asked === undefined ? [] : nodeLines(asked)),
    ...shownTroubles(pool).flatMap(troubleLines),
    ...(pause === undefined ? [] : ['', ...plain(safeLine(pause.sentence, 700))]),
    ...early.flatMap((drain) => ['', ...plain(earlyWords(drain)), ...drain.findings.flatMap(findingLines)]),
    ...(calm === undefined ? [] : plain(calm)),
  ];
}

function nodeLines(asked: AskedNode): readonly string[] {
  const { node, symptom, findings } = asked;
  if (symptom === undefined) return ['', ...plain(`Node ${nameWords(node)} ${restWords(asked)}.`)];
  return ['', `NODE ${nameWords(node)}, ${symptom}`, ...findings.flatMap(findingLines)];
}

function troubleLines({ headline, severity, facts, findings }: ExplainedTrouble): readonly string[] {
  return [
    '',
    ...plain(`${severity.toUpperCase()} ${safeLine(headline, 300)}`),
    ...findings.flatMap(findingLines),
    ...facts.flatMap(({ label, value }) => wrap(`${label}: ${safeLine(value, 300)}`, { first: '  ', rest: '    ' })),
  ];
}

function findingLines(finding: Finding): readonly string[] {
  const { cause, code, title, confidence, chain, remedies, evidence } = explainFinding(finding);
  return [
    '  Why',
    ...wrap(`${cause} [${code}, ${confidence}]`, { first: '    ', rest: '    ' }),
    ...titled(
      'Chain of causes',
      chain.flatMap((each, index) => numbered(each, index)),
    ),
    ...titled(
      'Do this',
      remedies.flatMap(({ title: what, risk, who, command, undo }, index) => [
        ...numbered(`${what} (${risk}, ${who})`, index),
        ...(command === undefined ? [] : [`       ${command}`]),
        ...(undo === undefined ? [] : [`       undo: ${undo}`]),
      ]),
    ),
    ...titled(
      'Evidence',
      evidence.flatMap(({ object, path, value, readAt }) =>
        wrap(`${object} ${path} = ${value} (read ${readAt})`, { first: '    * ', rest: '      ' }),
      ),
    ),
    ...(title === '' ? [] : [`  More: docs/causes.md#${anchorOf(code)} (${title})`]),
  ];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines];
}

function numbered(text: string, index: number): readonly string[] {
  return wrap(text, { first: `    ${index + 1}. `, rest: '       ' });
}

function plain(text: string): readonly string[] {
  return wrap(text, { first: '', rest: '' });
}

const item: Indent = { first: '  * ', rest: '    ' };

function bullet(text: string): readonly string[] {
  return wrap(safeLine(text, 700), item);
}
