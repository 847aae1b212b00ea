import type { SequenceGate } from '../configuration/sequence.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { stable } from '../text/stable.ts';
import { placeOf, resourceTypeOf } from './own-object.ts';
import type { PlannedGate, PlannedStep, SequencePlan, StepTarget } from './plan.ts';
import type { HeldApplication, ItemRecord, SequenceRecord } from './record.ts';

/** Characters: there are few that one id has ever had, and the record has to fit an object. */
const identityCharacters = 8;

/** What a step acts on, or a gate asks; not when, and not for how long. */
export function identityOf(item: PlannedStep | PlannedGate): string {
  const is = 'anyOf' in item ? item.anyOf.map(askedOf) : targetOf(item.target);
  return fingerprint(stable(is)).slice(0, identityCharacters);
}

function askedOf({ timeoutSeconds: _, intervalSeconds: __, onTimeout: ___, ...gate }: SequenceGate): unknown {
  const { syncWave: ____, hookType: _____, disabled: ______, ...asked } = gate;
  return asked;
}

/** Of a manifest its place: that its content has changed is seen on the object. */
function targetOf(target: StepTarget): unknown {
  switch (target.kind) {
    case 'application': {
      const { project: _, ...is } = target;
      return is;
    }
    case 'pool':
    case 'check':
      return target;
    case 'subscription':
      return [target.kind, target.olm, target.namespace, target.name];
    case 'object':
      return [target.kind, resourceTypeOf(target.manifest), placeOf(target.manifest)];
    default:
      return target satisfies never;
  }
}

/** Steps and gates that are configured otherwise than when they were recorded: by their ids, which follow from names
 *  and places in lists, they would be taken for what they were. */
export function changedItems({ steps, gates }: SequencePlan, { items }: SequenceRecord): ReadonlySet<string> {
  const changed = [...steps, ...gates].filter((item) => {
    const is = items[item.id]?.is;
    return is !== undefined && is !== identityOf(item);
  });
  return new Set(changed.map(({ id }) => id));
}

/** The record as far as it is about what is planned now. What has begun, was waited for, passed or skipped as something
 *  else has not been so as what it is; what was applied stays known as ours. */
export function recordOfPlan(plan: SequencePlan, record: SequenceRecord): SequenceRecord {
  const changed = changedItems(plan, record);
  const planned = new Set([...plan.steps, ...plan.gates].map(({ id }) => id));
  const isSkipped = (id: string) => plan.steps.length === 0 || (planned.has(id) && !changed.has(id));
  const skipped = Object.entries(record.skipped);
  if (changed.size === 0 && skipped.every(([id]) => isSkipped(id))) return record;
  const { held, ...rest } = record;
  return {
    ...rest,
    items: Object.fromEntries(
      Object.entries(record.items).flatMap(([id, item]): readonly [string, ItemRecord][] =>
        changed.has(id) ? notBegun(id, item) : [[id, item]],
      ),
    ),
    skipped: Object.fromEntries(skipped.filter(([id]) => isSkipped(id))),
    ...(held === undefined
      ? {}
      : {
          held: Object.fromEntries(Object.entries(held).map((each) => (changed.has(each[0]) ? asFormer(each) : each))),
        }),
  };
}

/** The window of what the step was, until it is gone: under the id of the step it would be taken for that of what the
 *  step is now. */
function asFormer([id, held]: readonly [string, HeldApplication]): readonly [string, HeldApplication] {
  return [`${id} as ${held.application} in ${held.namespace}/${held.project}`, held];
}

function notBegun(id: string, { begunAt: _, is: __, ...item }: ItemRecord): readonly [string, ItemRecord][] {
  return item.made === undefined ? [] : [[id, item]];
}
