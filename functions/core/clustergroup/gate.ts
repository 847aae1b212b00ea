import { waveTextRemarks } from './annotations.ts';
import { disabledRemarks, type Entry, isDisabled } from './entries.ts';
import { checkHook, hookOf } from './hook.ts';
import { unknownKeys } from './known-keys.ts';
import { type Remark, refused, trap } from './remark.ts';
import { isList, isMap, isSet, textAt, textOf, type Value, type Values } from './values.ts';
import { waveOf } from './wave.ts';

/** A `sequenceJob`: what must be there before a higher wave begins. */
export interface Gate {
  readonly at: string;
  /** Of its Job. */
  readonly name: string;
  readonly wave: number;
  /** Phases of Argo CD, as text: `Sync`, `PreSync`, `Sync,PostSync`. */
  readonly hookType: string;
  readonly image: string | undefined;
  readonly waitsFor: WaitsFor;
}

export type WaitsFor =
  | {
      readonly kind: 'resource';
      /** As for `oc get`: kind, plural or short name, with a group if need be. */
      readonly type: string;
      /** Undefined: at least one of the type. */
      readonly name: string | undefined;
      readonly namespace: string | undefined;
    }
  | { readonly kind: 'command'; readonly command: readonly string[] };

interface Parent {
  readonly name: string;
  readonly wave: number;
  readonly hasAnnotations: boolean;
  readonly isOff: boolean;
}

interface ReadGate {
  readonly gate?: Gate;
  readonly remarks: readonly Remark[];
}

/** The gate of an entry of `subscriptions`, if it has one that can open. */
export function gateOf({ entry, at, form, key }: Entry, parent: Parent): ReadGate {
  const job = entry['sequenceJob'];
  const where = `${at}.sequenceJob`;
  if (!isSet(job)) return { remarks: [] };
  if (!isMap(job)) return { remarks: [refused('entry-not-a-map', where, 'must be a map')] };
  const disabled = disabledRemarks(job, where);
  if (isDisabled(job)) return { remarks: disabled };
  const unknown = unknownKeys('sequenceJob', { entry: job, at: where, form, key });
  if (parent.isOff) {
    const says = `waits for ever in the chart: its Subscription ${parent.name} is disabled, but the Job is made; left out here`;
    return {
      remarks: [...disabled, ...unknown, trap('gate-of-disabled', where, says), ...annotationRemarks(parent, where)],
    };
  }
  const waits = waitsForOf(job, where);
  const remarks = [...disabled, ...unknown, ...annotationRemarks(parent, where), ...waits.remarks];
  if (waits.waitsFor === undefined) return { remarks };
  const { wave, remarks: ofWave } = waveOfGate(job['syncWave'], parent, where);
  const hook = checkHook(job['hookType'], `${where}.hookType`);
  const gate: Gate = {
    at: where,
    name: `${parent.name}-sequencejob`,
    wave,
    hookType: hookOf(job['hookType']),
    image: textAt(job, 'image'),
    waitsFor: waits.waitsFor,
  };
  return { gate, remarks: [...remarks, ...ofWave, ...hook] };
}

function annotationRemarks({ hasAnnotations, name, isOff }: Parent, where: string): readonly Remark[] {
  if (hasAnnotations) return [];
  const here = isOff ? '' : '; taken as wave 0 here';
  const says = `the chart cannot render the whole group, as Subscription ${name} has no annotations${here}`;
  return [trap('gate-without-annotations', where, says)];
}

/** The chart takes an unquoted 0 as not given; so does the import, which keeps what a cluster does today. */
function waveOfGate(given: Value | undefined, parent: Parent, where: string) {
  if (given === undefined || given === null || given === '') return { wave: parent.wave, remarks: [] };
  const path = `${where}.syncWave`;
  if (given === 0) {
    const says = `an unquoted 0 counts as not given, so the gate has wave ${parent.wave} of its Subscription; quote it if 0 is meant`;
    return { wave: parent.wave, remarks: [trap('zero-wave', path, says)] };
  }
  return { wave: waveOf(textOf(given)), remarks: waveTextRemarks(given, path) };
}

interface ReadWait {
  readonly waitsFor?: WaitsFor;
  readonly remarks: readonly Remark[];
}

function waitsForOf(job: Values, where: string): ReadWait {
  if (isSet(job['command'])) return commandOf(job['command'], where);
  const type = textAt(job, 'resourceType');
  const name = textAt(job, 'resourceName');
  const namespace = textAt(job, 'resourceNamespace');
  if (type === undefined) {
    const says = 'has no resourceType and no command: the Job of the chart never ends; not taken';
    return { remarks: [refused('gate-of-nothing', where, says)] };
  }
  const wrong = [
    ...invalid(type, /^[A-Za-z][\w-]*(?:\.[\w.-]+)?$/, `${where}.resourceType`),
    ...invalid(name, /^[a-z0-9][a-z0-9.:_-]{0,252}$/i, `${where}.resourceName`),
    ...invalid(namespace, /^[a-z0-9][a-z0-9-]{0,62}$/, `${where}.resourceNamespace`),
  ];
  if (wrong.length > 0) return { remarks: wrong };
  const says = `has no resourceName: the chart opens at once, with nothing there; here at least one ${type} is waited for`;
  return {
    waitsFor: { kind: 'resource', type, name, namespace },
    remarks: name === undefined ? [trap('gate-of-any', where, says)] : [],
  };
}

function commandOf(given: Value | undefined, where: string): ReadWait {
  const command = isList(given) ? given.map(textOf).filter((word) => word !== undefined) : [];
  if (isList(given) && command.length === given.length) return { waitsFor: { kind: 'command', command }, remarks: [] };
  const says = 'must be a list of texts; the Job that the chart makes of it is invalid; not taken';
  return { remarks: [refused('command-not-a-list', `${where}.command`, says)] };
}

/** The chart puts these into a shell as they are. */
function invalid(text: string | undefined, form: RegExp, where: string): readonly Remark[] {
  if (text === undefined || form.test(text)) return [];
  return [
    refused('invalid-name', where, `${JSON.stringify(text)} is no name; the chart would hand it to a shell; not taken`),
  ];
}
