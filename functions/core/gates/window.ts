import { listed } from '../text/phrases.ts';
import { askWindows, windowsFor } from '../windows/openings.ts';
import { windowText } from '../windows/window-text.ts';
import { type ClosedGate, closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** The configured windows let pools resume now. A window that closes in mid-rollout stops nothing that has begun. */
export const window: Gate = { name: 'window', inEmergency: 'passed', ask };

function ask({ pool, windows, now }: GateQuestion): GateAnswer {
  const own = windowsFor(windows, pool);
  if (own.length === 0) return open;
  const answer = askWindows(own, now);
  if (answer.open) return open;
  const { denied, opensAt } = answer;
  const why =
    denied.length > 0
      ? `a deny window is open: ${listed(denied.map(windowText), 2)}`
      : `no allow window is open: ${listed(own.filter(({ kind }) => kind === 'allow').map(windowText), 2)}`;
  const gate: ClosedGate = closed(
    why,
    opensAt === undefined
      ? 'no opening within a year: change windows in poolkeeper.yaml'
      : `when its window does, at ${opensAt}`,
  );
  return { ...gate, opensAt };
}
