import { startApiServer } from '../../../local/openshift/api-server/api-server.ts';
import { realClock } from '../../../local/openshift/clock.ts';
import { release } from '../../../local/openshift/world/platform.ts';
import { makeWorld, stick } from './world.ts';

/** A process of its own, so that what it holds in memory is not counted as Poolkeeper's. Its parent is told the
 *  address, and says how many nodes get stuck. */
const registry = makeWorld();
const server = await startApiServer({
  registry,
  clock: realClock(),
  token: 'scale',
  port: 0,
  gitVersion: release.kubernetes,
});
process.on('message', (count) => {
  stick(registry, Number(count));
  process.send?.('stuck');
});
process.on('disconnect', () => process.exit(0));
process.send?.(server.url);
