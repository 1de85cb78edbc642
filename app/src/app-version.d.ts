/** The version of the package, put in by the build. */
declare const __APP_VERSION__: string;
