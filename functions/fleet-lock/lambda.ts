import { FleetLockEnvironment, readEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { fleetLocker } from '../shell/services/fleet-locker.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { fleetLock } from './fleet-lock.ts';

const telemetry = openTelemetry('fleet-lock');

export const handler = httpFunction({
  telemetry,
  build: async () => fleetLock(await fleetLocker(readEnvironment(FleetLockEnvironment, process.env), telemetry)),
});
