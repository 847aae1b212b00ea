import { protectionOf } from '../configuration/protection.ts';
import { hasPendingChange } from '../openshift/pool.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, type GateTimeout, open } from './gate.ts';

/** A pool of protection level `rest` stays paused until a change waits for it. */
export const rest: Gate = { name: 'rest', inEmergency: 'asked', ask, timeout };

/** To rest is what it is for: nothing waits. */
function timeout(): GateTimeout {
  return { afterSeconds: 0, action: 'wait' };
}

function ask({ pool, settings, yields }: GateQuestion): GateAnswer {
  if (!protectionOf(settings).rests || yields !== undefined || hasPendingChange(pool)) return open;
  return closed({
    why: 'the pool rests paused: no change waits for it',
    value: 'no change pending',
    threshold: 'a pending change',
    opens: 'a change that is rendered for the pool; then its other gates decide',
    who: 'whoever changes what is rendered for the pool',
  });
}
