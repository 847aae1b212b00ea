import { readEnvironment, StatusEnvironment } from '../shell/environment.ts';
import { httpFunction } from '../shell/http.ts';
import { statusReader } from '../shell/services/status-reader.ts';
import { openTelemetry } from '../shell/telemetry.ts';
import { metricsOf } from './metrics-of.ts';
import { withOpenPages } from './open-pages.ts';
import { statusOf } from './status-of.ts';

const telemetry = openTelemetry('status');

export const handler = httpFunction({
  telemetry,
  build: async () => {
    const ports = await statusReader(readEnvironment(StatusEnvironment, process.env), telemetry);
    const metrics = metricsOf(ports);
    const page = statusOf(ports);
    return withOpenPages((request) => (new URL(request.url).pathname.endsWith('/metrics') ? metrics : page)(request));
  },
});
