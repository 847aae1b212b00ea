import { type KindRule, kindRules, machineConfigGroup } from './rendered-kinds.ts';

/** Whether a text that is no manifest, such as a template or its values, names a kind that the MCO renders. Of the
 *  MCO's own kinds the name is enough, as it stands in a key of values; kinds of other groups, which are often
 *  everyday words, are named as `kind:` with their group. A template that is given even the kind names none. */
export function namesRenderedKind(text: string): boolean {
  if (ownKinds.test(text)) return true;
  const kinds = new Set([...text.matchAll(kindLine)].map(([, kind = '']) => kind));
  return foreignRules.some((rule) => kinds.has(rule.kind) && isMeant(rule, text));
}

const ownKinds = /machine[-_]?config|kubelet[-_]?config|container[-_]?runtime[-_]?config|machine[-_]?os[-_]?config/i;
const kindLine = /\bkind["']?[ \t]{0,5}:[ \t]{0,5}["']?([A-Za-z]{1,60})/g;
const givenVersion = /\bapiVersion["']?[ \t]{0,5}:[ \t]{0,5}["']?\{\{/;

const foreignRules = kindRules.filter(({ group, reach }) => group !== machineConfigGroup && reach !== 'none');

function isMeant({ group, name, namespace, dataKey }: KindRule, text: string): boolean {
  if (group !== '') return text.includes(group) || givenVersion.test(text);
  const own = dataKey ?? name ?? namespace;
  return own === undefined || text.includes(own);
}
