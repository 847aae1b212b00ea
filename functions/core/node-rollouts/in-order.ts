import { type Moment, type NodeRollout, type StepName, type StepTimes, stepNames } from '../openshift/node-rollout.ts';

/** The rollout with its times in the order of its steps. A time that only our own looks know is an upper bound: it
 *  moves back to the next later one. A time that the cluster recorded before something that came earlier is of a clock
 *  that is behind, and known no better than that. */
export function inOrder(rollout: NodeRollout): NodeRollout {
  // The daemon asks for cordon and drain at once, which is the beginning of the drain: it may be before the cordon.
  const isCordon = ({ step }: Place) => step === 'cordon';
  const isDrainBegun = ({ step, end }: Place) => step === 'drain' && end === 'begun';
  return arranged(
    arranged(rollout, (place) => !isDrainBegun(place)),
    (place) => !isCordon(place),
  );
}

/** The steps in order, each after the one before: the drain begins with the cordon, whenever it was asked for. */
export function courseOf({ steps }: Pick<NodeRollout, 'steps'>): readonly (StepTimes & { readonly name: StepName })[] {
  const { cordon, drain } = steps;
  const cordoned = cordon?.ended ?? cordon?.begun;
  const isEarly = drain?.begun !== undefined && cordoned !== undefined && isAfter(cordoned, drain.begun);
  const shown = isEarly ? { ...steps, drain: { ...drain, begun: cordoned } } : steps;
  return stepNames.flatMap((name) => {
    const times = shown[name];
    return times === undefined ? [] : [{ name, ...times }];
  });
}

/** One time of a rollout. */
interface Place {
  readonly step: StepName | 'whole';
  readonly end: 'begun' | 'ended';
}

const places: readonly Place[] = [
  { step: 'whole', end: 'begun' },
  ...stepNames.flatMap((step) => [{ step, end: 'begun' } as const, { step, end: 'ended' } as const]),
  { step: 'whole', end: 'ended' },
];

function arranged(rollout: NodeRollout, counts: (place: Place) => boolean): NodeRollout {
  const given = places.filter(counts).flatMap((place) => {
    const moment = momentAt(rollout, place);
    return moment === undefined ? [] : [{ place, moment }];
  });
  const moments = notBeforeEarlier(notAfterLater(given.map(({ moment }) => moment)));
  return given.reduce((all, { place, moment }, index) => withMoment(all, place, moments[index] ?? moment), rollout);
}

function momentAt({ begun, steps, ended }: NodeRollout, { step, end }: Place): Moment | undefined {
  if (step !== 'whole') return steps[step]?.[end];
  return end === 'begun' ? begun : ended?.at;
}

function withMoment(rollout: NodeRollout, { step, end }: Place, at: Moment): NodeRollout {
  const { steps, ended } = rollout;
  if (step !== 'whole') return { ...rollout, steps: { ...steps, [step]: { ...steps[step], [end]: at } } };
  return end === 'begun' ? { ...rollout, begun: at } : { ...rollout, ended: ended && { ...ended, at } };
}

function notAfterLater(moments: readonly Moment[]): readonly Moment[] {
  let next: Moment | undefined;
  return moments
    .toReversed()
    .map((moment) => {
      if (next === undefined || !isAfter(moment, next)) {
        next = moment;
        return moment;
      }
      return moment.told ? moment : { at: next.at, told: false };
    })
    .toReversed();
}

function notBeforeEarlier(moments: readonly Moment[]): readonly Moment[] {
  let last: Moment | undefined;
  return moments.map((moment) => {
    if (last !== undefined && isAfter(last, moment)) return { at: last.at, told: false };
    last = moment;
    return moment;
  });
}

function isAfter(a: Moment, b: Moment): boolean {
  return Date.parse(a.at) > Date.parse(b.at);
}
