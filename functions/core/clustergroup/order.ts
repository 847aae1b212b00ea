import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import type { GroupApplication } from './applications.ts';
import type { ExtraObject } from './extra-objects.ts';
import { type Remark, trap } from './remark.ts';
import type { Operator } from './subscriptions.ts';

interface Ordered {
  readonly operators: readonly Operator[];
  readonly applications: readonly GroupApplication[];
  readonly objects: readonly ExtraObject[];
}

/** What the waves of a group do not do. */
export function orderRemarks(ordered: Ordered): readonly Remark[] {
  return [...ordered.operators.flatMap((operator) => gateRemarks(operator, ordered)), ...applicationRemarks(ordered)];
}

function gateRemarks({ wave, name, gate }: Operator, { operators, applications, objects }: Ordered): readonly Remark[] {
  if (gate === undefined) return [];
  const isOfSync = gate.hookType.split(',').includes('Sync');
  if (isOfSync && gate.wave < wave) {
    const says = `wave ${gate.wave} comes before wave ${wave} of Subscription ${name}: if ${name} makes what is waited for, this never ends on a new cluster`;
    return [trap('gate-before-its-operator', gate.at, says)];
  }
  const others = [
    ...operators.filter((each) => each.manifests.length > 0),
    ...applications,
    ...objects.map((object) => ({ ...object, name: object.key })),
  ];
  const early = others.filter((other) => other.wave > wave && other.wave <= gate.wave).map((other) => other.name);
  if (!isOfSync || early.length === 0) return [];
  const says = `wave ${gate.wave} does not hold back ${listed(unique(early))}: what should wait needs a higher wave than the gate`;
  return [trap('gate-after-what-should-wait', gate.at, says)];
}

function applicationRemarks({ applications }: Ordered): readonly Remark[] {
  const ordered = applications.filter(({ wave }) => wave !== 0);
  if (ordered.length === 0) return [];
  const names = listed(ordered.map(({ name, wave }) => `${name} (${wave})`));
  const says = `${names}: these waves wait for nothing in the framework. They order when the Applications are created; nobody waits until one is healthy, unless the patterns operator has gitops.applicationHealthCheckEnabled (default false). As steps of a sequence they do wait`;
  return [trap('application-waves-wait-for-nothing', 'clusterGroup.applications', says)];
}
