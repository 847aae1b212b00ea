import { expect, test } from 'vitest';
import { lazy } from '../../../functions/shell/lazy.ts';
import { callsMadeBy, failures, LostAnswer, type MadeCall, type Watch } from '../failing-calls.ts';
import { calls } from './keep-calls.ts';
import { runsAtWork } from './runs-at-work.ts';

const ofRuns = [...callsMadeBy('runs', calls), ...callsMadeBy('rollouts', calls)];

/** Until both runs are over, and some minutes more. */
async function played(watch: Watch) {
  const world = await runsAtWork(watch);
  try {
    for (let minute = 0; minute < 150 && !world.isDone(); minute += 1) await world.minute();
    for (let minute = 0; minute < 3; minute += 1) await world.minute();
    const { logger } = world.run.lab.world;
    const isSilent = !logger.lines.some(({ level }) => level === 'warn' || level === 'error');
    return { end: await world.end(), wrong: world.wrong, isSilent };
  } finally {
    await world.run.stop();
  }
}

/** Each look has its own times and versions. */
const ofLook = /\d{4}-\d\d-\d\dT[\d:.]+Z|\\*"(?:resourceVersion|version|token|callbackToken|readAt)\\*":[^,}]*/g;

const ways = [
  failures['403'],
  failures['timeout'],
  failures['a bug'],
  (call: string) => new LostAnswer(`${call}: no answer`, { kind: 'unreachable' }),
];

/** What is to be done fails when it is first to be done, and a read now and then, so that it is another one each time:
 *  each call in all ways by turns, from this one on. */
function eachOnce(first: number): Watch {
  const known = new Set<string>();
  const failed = new Map<string, number>();
  let [reads, distance] = [0, 7];
  const isToFail = ({ name, args }: MadeCall) => {
    if (/\.(?:list|read|load)[A-Za-z]*$/.test(name)) {
      reads += 1;
      if (reads < distance) return false;
      // No number of reads in a pass is hit at the same place for long.
      [reads, distance] = [0, distance === 17 ? 7 : distance + 1];
      return true;
    }
    const place = `${name} ${JSON.stringify(args).replace(ofLook, '')}`;
    if (known.has(place)) return false;
    known.add(place);
    return true;
  };
  return (call) => {
    const { name } = call;
    if (!ofRuns.includes(name) || !isToFail(call)) return undefined;
    const way = failed.get(name) ?? first;
    failed.set(name, way + 1);
    return ways[way % ways.length]?.(name);
  };
}

const undisturbed = lazy(async () => {
  const made = new Set<string>();
  const { end, wrong } = await played(({ name }) => {
    made.add(name);
    return undefined;
  });
  return { made, end, wrong };
});

test('[N-30] every call that is made for runs, and for the rollouts of nodes, is known', async () => {
  const { made, wrong } = await undisturbed();

  expect(ofRuns.filter((name) => !made.has(name))).toEqual([]);
  expect(wrong).toEqual([]);
});

test.each([0, 2])(
  '[S4-14] [S4-19] [N-2] [N-30] runs whose every call fails once come to the same end, nothing is done twice, and others are paused, resumed and told of meanwhile (%s)',
  async (first) => {
    const { end } = await undisturbed();

    const found = await played(eachOnce(first));

    expect(found).toEqual({ end, wrong: [], isSilent: false });
  },
  60_000,
);
