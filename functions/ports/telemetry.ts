/** JSON log lines: static message, facts as fields, never bodies or secrets. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Metrics for the dashboard and the alarms. Names are in functions/shell/metric-names.ts. */
export interface Metrics {
  /** Adds 1, or `value`. */
  count(name: string, value?: number): void;
  milliseconds(name: string, value: number): void;
}
