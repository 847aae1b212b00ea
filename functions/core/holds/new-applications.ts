/** Applications that a push will create. */
export { applicationExpected, type ExpectedApplication, setOfHold } from './new-applications/expected-application.ts';
export { expectedApplications } from './new-applications/expected-applications.ts';
