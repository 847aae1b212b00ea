import { approval } from './approval.ts';
import { budget } from './budget.ts';
import { canary } from './canary.ts';
import { drainable } from './drainable.ts';
import { fit } from './fit.ts';
import type { Gate } from './gate.ts';
import { guard } from './guard.ts';
import { health } from './health.ts';
import { image } from './image.ts';
import { keepPaused } from './keep-paused.ts';
import { quiet } from './quiet.ts';
import { rendered } from './rendered.ts';
import { rest } from './rest.ts';
import { sequence } from './sequence.ts';
import { ticket } from './ticket.ts';
import { upgrade } from './upgrade.ts';
import { wave } from './wave.ts';
import { window } from './window.ts';

/** All gates, in order of display: those of the README, and `keep-paused`, a person's annotation. A new gate is one
 *  file and one entry here, and one in the policy's `gate-timeouts.ts`; if it needs something that is not read yet,
 *  also one entry in `evidence.ts` and one reader in `keep-pools/resume/`. */
export const gates: readonly Gate[] = [
  keepPaused,
  approval,
  ticket,
  window,
  fit,
  rest,
  guard,
  rendered,
  image,
  quiet,
  wave,
  sequence,
  health,
  upgrade,
  drainable,
  canary,
  budget,
];
