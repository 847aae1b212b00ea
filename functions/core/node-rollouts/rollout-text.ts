import { type Moment, type NodeRollout, type StepName, secondsOf, stepNames } from '../openshift/node-rollout.ts';
import { ageText } from '../text/phrases.ts';

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

/** `targeted 10:00:12, cordon 10:00:20, drain 10:00:20 to 10:03:41 (3 min), reboot since 10:04:02`. Times of one day,
 *  UTC; `by` marks times known only from our own observation. */
export function rolloutText({ begun, steps }: Pick<NodeRollout, 'begun' | 'steps'>): string {
  const parts = stepNames
    .filter((name) => name !== 'pickup')
    .flatMap((name) => {
      const times = steps[name];
      if (times === undefined) return [];
      const { begun: from, ended: to } = times;
      const seconds = secondsOf(times);
      const took = seconds === undefined ? '' : ` (${ageText(seconds * 1000)})`;
      if (to === undefined) return [`${stepWords[name]} since ${timeText(from)}`];
      return [`${stepWords[name]} ${from === undefined ? '' : `${timeText(from)} to `}${timeText(to)}${took}`];
    });
  return [`targeted ${timeText(begun)}`, ...parts].join(', ');
}

function timeText(moment: Moment | undefined): string {
  if (moment === undefined) return 'an unknown time';
  const time = new Date(moment.at).toISOString().slice(11, 19);
  return moment.told ? time : `by ${time}`;
}

/** `reboot, step 5 of 6`. */
export function stepPlace(step: StepName): string {
  const counted = stepNames.filter((name) => name !== 'pickup');
  const place = counted.indexOf(step === 'pickup' ? 'prepare' : step) + 1;
  return `${stepWords[step]}, step ${place} of ${counted.length}`;
}
