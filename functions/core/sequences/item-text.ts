import type { SequenceGate } from '../configuration/sequence.ts';
import { ifGiven } from '../text/if-given.ts';
import { clipped } from '../text/phrases.ts';
import { subjectOf } from './judge-gate.ts';
import { placeOf } from './own-object.ts';
import type { PlannedGate, StepTarget } from './plan.ts';
import { withPreset } from './presets.ts';

/** What a step acts on or looks at, in words. */
export function targetText(target: StepTarget): string {
  switch (target.kind) {
    case 'application':
      return `Application ${target.namespace}/${target.name}`;
    case 'subscription':
      return target.olm === 'v1'
        ? `ClusterExtension ${target.name}`
        : `Subscription ${target.namespace}/${target.name}`;
    case 'pool':
      return `MachineConfigPool ${target.name}`;
    case 'object': {
      const { namespace, name } = placeOf(target.manifest);
      const place = namespace === undefined ? name : `${namespace}/${name}`;
      return clipped(`${String(target.manifest['kind'])} ${place}`, 200);
    }
    case 'check':
      return 'check';
    default:
      return target satisfies never;
  }
}

/** What a gate waits for, in words: `sc ocs-storagecluster-ceph-rbd`, `pvc shop/data with status.phase Bound`. */
export function gateText({ anyOf }: Pick<PlannedGate, 'anyOf'>): string {
  return clipped(anyOf.map(alternativeText).join(', or '), 300);
}

function alternativeText(gate: SequenceGate): string {
  if (gate.http !== undefined) return 'an answer over HTTP';
  if (gate.image !== undefined && gate.resourceType === undefined && gate.preset === undefined)
    return `a Job of ${gate.image}`;
  const wanted = withPreset(gate);
  const { condition, path, equals, oneOf, version, health, cel, count } = wanted;
  const values = [...ifGiven(equals), ...oneOf];
  const all = [
    ...(condition === undefined ? [] : [`condition ${condition.type} ${condition.status}`]),
    ...(path === undefined ? [] : [`${path}${values.length === 0 ? '' : ` ${values.join(' or ')}`}`]),
    ...(version === undefined ? [] : [`version ${version.atLeast} at least`]),
    ...(health === undefined ? [] : [`health ${health}`]),
    ...(cel === undefined ? [] : [gate.preset === undefined ? clipped(cel, 100) : 'what the preset asks']),
    ...(count?.atMost === undefined ? [] : [`at most ${count.atMost}`]),
  ];
  return all.length === 0 ? subjectOf(wanted) : `${subjectOf(wanted)} with ${all.join(', ')}`;
}
