import {
  type Moment,
  type NodeRollout,
  type StepName,
  type StepTimes,
  secondsOf,
  stepNames,
} from '../openshift/node-rollout.ts';
import { ageText } from '../text/phrases.ts';
import { courseOf } from './in-order.ts';

/** For people. */
export const stepWords: Readonly<Record<StepName, string>> = {
  pickup: 'pick up',
  prepare: 'prepare',
  cordon: 'cordon',
  drain: 'drain',
  stage: 'stage (OS, files, units)',
  reboot: 'reboot',
  uncordon: 'uncordon',
};

/** `targeted 10:00:12, cordon by 10:00:20, drain 10:00:20 to 10:03:41 (3 min), reboot since 10:04:02`. Times of one
 *  day, UTC. `by` and `or earlier` mark times known only from our own observation. An update that no pass saw in
 *  progress: `between 10:00:12 and 10:05:00, not observed, reboot by 10:04:20`. */
export function rolloutText({ begun, steps, unseen, ended }: TextOf): string {
  const parts = courseOf({ steps })
    .filter(({ name }) => name !== 'pickup')
    .map(({ name, ...times }) => `${stepWords[name]} ${timesText(times)}`);
  return [unseen === undefined ? `targeted ${pointText(begun)}` : unseenText(unseen.after, ended?.at), ...parts].join(
    ', ',
  );
}

type TextOf = Pick<NodeRollout, 'begun' | 'steps' | 'unseen' | 'ended'>;

function timesText({ begun, ended }: StepTimes): string {
  if (ended === undefined) return begun === undefined ? 'begun' : `since ${boundText(begun)}`;
  if (begun === undefined) return pointText(ended);
  const seconds = begun.told && ended.told ? secondsOf({ begun, ended }) : undefined;
  if (seconds === undefined && begun.at === ended.at) return pointText(ended);
  const took = seconds === undefined ? '' : ` (${ageText(seconds * 1000)})`;
  return `${boundText(begun)} to ${boundText(ended)}${took}`;
}

function unseenText(after: string | undefined, ended: Moment | undefined): string {
  if (ended === undefined) return 'not observed';
  if (after === undefined) return `done ${pointText(ended)}, not observed`;
  const isOneDay = after.slice(0, 10) === ended.at.slice(0, 10);
  return `between ${isOneDay ? timeText(after) : new Date(after).toISOString()} and ${timeText(ended.at)}, not observed`;
}

function pointText({ at, told }: Moment): string {
  return told ? timeText(at) : `by ${timeText(at)}`;
}

function boundText({ at, told }: Moment): string {
  return told ? timeText(at) : `${timeText(at)} or earlier`;
}

function timeText(at: string): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** `reboot, step 5 of 6`. */
export function stepPlace(step: StepName): string {
  const counted = stepNames.filter((name) => name !== 'pickup');
  const place = counted.indexOf(step === 'pickup' ? 'prepare' : step) + 1;
  return `${stepWords[step]}, step ${place} of ${counted.length}`;
}
