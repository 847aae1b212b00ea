/** The port on 127.0.0.1 of `npm start`, where the command line asks too. */
export const defaultPort = 8080;
