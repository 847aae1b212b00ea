import { expect, test } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** Who counts holds, and what of: a hold that a person has overruled stays on the record for up to a week, or for as
 *  long as its sync runs, and keeps no pool paused. Whoever asks whether a pool is held asks for `standingHolds`,
 *  `standingHoldsOf` or `holdsThatCount`. */
const counters: Readonly<Record<string, string>> = {
  'functions/core/holds/act.ts': 'all: whether any is left on the record, once none of them counts',
  'functions/core/holds/freeze.ts': 'all freezes: how many more a record has room for',
  'functions/core/holds/held-briefly.ts': 'standing ones',
  'functions/core/holds/manual-hold.ts': 'all: whether a command takes any from the record',
  'functions/core/holds/overruled.ts': 'all: whether each of them is overruled',
  'functions/core/holds/ownership.ts': 'all, of a record that lacks our pause: whether it was lost with them',
  'functions/core/judge/find-undone-pause.ts': 'ids of those that a program resumed the pool in spite of',
  'functions/core/judge/pool-troubles.ts': 'standing ones; all, for an age where the record has no time of its pause',
  'functions/core/node-turns/pool-rollouts.ts': 'standing ones: whether anything else than a run keeps its pool paused',
  'functions/core/openshift/holders.ts': 'those whose holders are to be named',
  'functions/core/preview/status-text.ts': 'standing ones',
  'functions/core/timeline/few-holds.ts': 'those that are shown, with their marks',
  'functions/keep-pools/node-turns/ask-as-one-node.ts': 'those that count',
  'functions/keep-pools/node-turns/read-canary.ts': 'standing ones',
  'functions/keep-pools/tell/measure.ts': 'all: what is on records',
  'functions/keep-pools/tell/publish-and-checkpoint.ts': 'all: what there is to publish',
};

test('[S0-15] [N-30] whoever counts the holds of a pool has decided whether overruled ones are among them', () => {
  const found = sourceFiles(['functions/core', 'functions/keep-pools', 'functions/handshake'])
    .filter(({ code }) => /(?<![\w$])(?:holds|holdsOf\([^)]*\)|freezesIn\([^)]*\))\.length\b/.test(code))
    .map(({ path }) => path);

  expect(found.toSorted()).toEqual(Object.keys(counters).toSorted());
});
