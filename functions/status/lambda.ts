import { readEnvironment, StatusEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { statusReader } from '../shell/services/status-reader.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { withOpenPages } from './open-pages.ts';
import { statusOf } from './status-of.ts';

const telemetry = openTelemetry('status');

export const handler = httpFunction({
  telemetry,
  build: async () =>
    withOpenPages(statusOf(await statusReader(readEnvironment(StatusEnvironment, process.env), telemetry))),
});
