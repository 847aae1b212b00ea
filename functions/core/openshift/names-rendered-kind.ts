import { unique } from '../text/unique.ts';
import { type KindRule, kindRules, machineConfigGroup } from './rendered-kinds.ts';

/** Whether a text that is no manifest, such as a template or its values, names a kind that the MCO renders. Of the
 *  MCO's own kinds the name is enough, as it stands in a key of values; kinds of other groups, which are often
 *  everyday words, are named as `kind:` with their group. A template that is given even the kind names none. */
export function namesRenderedKind(text: string): boolean {
  if (ownKinds.test(text)) return true;
  const looked = new Set<string>();
  for (const [, kind = ''] of text.matchAll(kindLine)) {
    if (looked.has(kind)) continue;
    looked.add(kind);
    if (foreignRules.some((rule) => rule.kind === kind && isMeant(rule, text))) return true;
  }
  return false;
}

const ownKinds = /machine[-_]?config|kubelet[-_]?config|container[-_]?runtime[-_]?config|machine[-_]?os[-_]?config/i;
const givenVersion = /\bapiVersion["']?[ \t]{0,5}:[ \t]{0,5}["']?\{\{/;

const foreignRules = kindRules.filter(({ group, reach }) => group !== machineConfigGroup && reach !== 'none');

/** Any of their kinds, and no other: a text may hold a million lines. */
const kindLine = new RegExp(
  `\\bkind["']?[ \\t]{0,5}:[ \\t]{0,5}["']?(${unique(foreignRules.map(({ kind }) => kind)).join('|')})(?![A-Za-z])`,
  'g',
);

function isMeant({ group, name, namespace, dataKey }: KindRule, text: string): boolean {
  if (group !== '') return text.includes(group) || givenVersion.test(text);
  const own = dataKey ?? name ?? namespace;
  return own === undefined || text.includes(own);
}
