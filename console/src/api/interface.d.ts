// Made by `npm run console:api` from the description of the interface. Edits are lost.

export interface paths {
    readonly "/ocra/request": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Issues a challenge to a token, found by serial or user
         * @description Requires the right `ocra:request`.
         */
        readonly post: operations["postOcraRequest"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ocra/check_t": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verifies the response to a challenge
         * @description Requires the id of an open transaction.
         */
        readonly post: operations["postOcraCheckT"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ocra/checkstatus": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * State of challenges
         * @description Requires the right `ocra:status`.
         */
        readonly post: operations["postOcraCheckstatus"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ocra/getActivationCode": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A valid activation code
         * @description Requires the right `ocra:activationcode`.
         */
        readonly post: operations["postOcraGetActivationCode"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ocra/calculateOtp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The response of an app, to test apps and portals
         * @description Requires the right `ocra:calcOTP`.
         */
        readonly post: operations["postOcraCalculateOtp"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/init": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Enrols a token, at once or in the two phases of the roll-out
         * @description Requires the right `admin:init`.
         */
        readonly post: operations["postAdminInit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/getsession": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Opens a session
         * @description Requires the name and password of an administrator.
         */
        readonly post: operations["postAdminGetsession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/dropsession": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Closes the session
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminDropsession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/login": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Opens a login: a signed token in a cookie
         * @description Requires the name and password of an administrator.
         */
        readonly post: operations["postAdminLogin"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/logout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Closes the login
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminLogout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Signs in by password, or requests the second factor
         * @description Requires the name and password of an administrator.
         */
        readonly post: operations["postAdminSignIn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in/finish": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Signs in by the second factor; without a parameter, asks whether the app has answered by itself
         * @description Requires a sign-in that this browser has begun.
         */
        readonly post: operations["postAdminSignInFinish"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/passkeys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The passkeys of the caller
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminPasskeys"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/passkeys/options": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begins the registration of a passkey of the caller
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminPasskeysOptions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/passkeys/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a passkey of the caller, unless it is the last one
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminPasskeysRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in/passkey-link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begins the registration of a passkey, by the link of an operator
         * @description Requires the link of an operator.
         */
        readonly post: operations["postAdminSignInPasskeyLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in/passkey": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Registers the passkey of a registration; the first one becomes the second factor
         * @description Requires a sign-in that this browser has begun.
         */
        readonly post: operations["postAdminSignInPasskey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in/oidc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begins a sign-in at the OpenID Connect provider: the browser opens url
         * @description Open to all.
         */
        readonly post: operations["postAdminSignInOidc"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sign-in/oidc/callback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Signs in by the answer of the provider, which sends the browser here
         * @description Requires a sign-in that this browser has begun.
         */
        readonly get: operations["getAdminSignInOidcCallback"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Open sessions and logins, newest first; those of the caller need no right
         * @description Requires the right `admin:sessions`.
         */
        readonly post: operations["postAdminSessions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/sessions/end": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ends one session, or all of an administrator; the number of those that were open
         * @description Requires the right `admin:sessions`.
         */
        readonly post: operations["postAdminSessionsEnd"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/overview": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The state of the installation at a glance; each part takes a right of its own
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminOverview"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/rights": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The name and the rights of the caller, as they are now
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminRights"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/resync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resynchronises a token by two consecutive responses
         * @description Requires the right `admin:resync`.
         */
        readonly post: operations["postAdminResync"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/loadtokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Loads the keys of a PSKC file, at most 16 MiB
         * @description Requires the right `admin:loadtokens`.
         */
        readonly post: operations["postAdminLoadtokens"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rows of the audit trail, newest first; all filters must match
         * @description Requires the right `admin:audit`.
         */
        readonly post: operations["postAuditSearch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/transaction": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What happened to a transaction; its display data with admin:transactiondata only
         * @description Requires the right `admin:transaction`.
         */
        readonly post: operations["postAdminTransaction"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/show": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Lists tokens
         * @description Requires the right `admin:show`.
         */
        readonly post: operations["postAdminShow"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/set": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets PIN, limits and description of a token
         * @description Requires the right `admin:set`.
         */
        readonly post: operations["postAdminSet"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets the fail counter to 0, which unlocks the token
         * @description Requires the right `admin:reset`.
         */
        readonly post: operations["postAdminReset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/enable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Enables a token
         * @description Requires the right `admin:enable`.
         */
        readonly post: operations["postAdminEnable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/disable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Disables a token
         * @description Requires the right `admin:disable`.
         */
        readonly post: operations["postAdminDisable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a token and its challenges
         * @description Requires the right `admin:remove`.
         */
        readonly post: operations["postAdminRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/assign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Assigns a token to a user
         * @description Requires the right `admin:assign`.
         */
        readonly post: operations["postAdminAssign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/unassign": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes the owner of a token
         * @description Requires the right `admin:unassign`.
         */
        readonly post: operations["postAdminUnassign"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/tokenrealm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets the realms of a token
         * @description Requires the right `admin:tokenrealm`.
         */
        readonly post: operations["postAdminTokenrealm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/userlist": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Lists the users of a realm or of a resolver, 10 000 at most
         * @description Requires the right `admin:userlist`.
         */
        readonly post: operations["postAdminUserlist"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/setPolicy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates or replaces a policy
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemSetPolicy"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getPolicy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Lists policies
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetPolicy"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/delPolicy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a policy
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemDelPolicy"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/setResolver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates or changes a resolver
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemSetResolver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getResolvers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Lists resolvers
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetResolvers"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getResolver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Shows a resolver
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetResolver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/delResolver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a resolver
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemDelResolver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/setRealm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a realm or replaces its resolvers
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemSetRealm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getRealms": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Lists realms
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetRealms"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/delRealm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a realm
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemDelRealm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/setDefaultRealm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets the default realm, or none
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemSetDefaultRealm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getDefaultRealm": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Shows the default realm
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetDefaultRealm"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/setConfig": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets configuration values, all or none
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemSetConfig"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/getConfig": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Shows the values in force, set or default
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemGetConfig"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/delConfig": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Restores the default of a value
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemDelConfig"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly Failure: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: false;
                readonly error: {
                    /**
                     * @description 77 a missing parameter, 410 a missing right, 1205 an unknown user, 707 the security module, else -311
                     * @example -311
                     */
                    readonly code: number;
                    /** @example There is no token QR9 */
                    readonly message: string;
                };
            };
        };
        readonly MonitoringTokensParameters: {
            /**
             * @description a comma list of realms, `/:no realm:/` for tokens in none, `*` for all; empty: all permitted
             * @example customers,staff
             */
            readonly realms?: string;
            /**
             * @description a comma list of `assigned`, `unassigned`, `active`, `inactive`; `&` combines two
             * @example assigned,unassigned&inactive
             */
            readonly status?: string;
        };
        readonly MonitoringTokensAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description names of columns: none */
                readonly head: readonly string[];
                readonly data: readonly (readonly [
                    string,
                    string,
                    number
                ])[];
                readonly value: {
                    /** @description all these realms together; a token in several of them counts once */
                    readonly Summary: {
                        readonly [key: string]: number;
                    };
                    readonly Realms: {
                        readonly [key: string]: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
        };
        readonly MonitoringUserinfoParameters: {
            /**
             * @description a comma list of realms, `/:no realm:/` for tokens in none, `*` for all; empty: all permitted
             * @example customers,staff
             */
            readonly realms?: string;
        };
        readonly MonitoringUserinfoAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description names of columns: none */
                readonly head: readonly string[];
                readonly data: readonly (readonly [
                    string,
                    string,
                    number
                ])[];
                readonly value: {
                    readonly Realms: {
                        readonly [key: string]: {
                            readonly [key: string]: number;
                        };
                    };
                    /** @description resolvers that are unavailable: their last known numbers */
                    readonly stale?: {
                        readonly [key: string]: {
                            readonly users: number;
                            /** @description the age of the number, in seconds */
                            readonly age: number;
                            /** Format: date-time */
                            readonly since: string;
                            readonly reason: string;
                        };
                    };
                };
            };
        };
        readonly MonitoringActiveUsersParameters: {
            /**
             * @description a comma list of realms, `/:no realm:/` for tokens in none, `*` for all; empty: all permitted
             * @example customers,staff
             */
            readonly realms?: string;
        };
        readonly MonitoringActiveUsersAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description names of columns: none */
                readonly head: readonly string[];
                readonly data: readonly (readonly [
                    string,
                    string,
                    number
                ])[];
                readonly value: {
                    readonly Realms: {
                        readonly [key: string]: {
                            readonly [key: string]: number;
                        };
                    };
                    /** @description users with an active token, each once */
                    readonly total: number;
                };
            };
        };
        readonly MonitoringConfigAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description names of columns: none */
                readonly head: readonly string[];
                readonly value: {
                    /**
                     * @description `True`: this server uses the stored configuration
                     * @enum {string}
                     */
                    readonly sync: "True" | "False";
                    /**
                     * Format: date-time
                     * @description the time at which this server read the configuration
                     */
                    readonly synctime: string;
                    /**
                     * Format: date-time
                     * @description the time of the last change
                     */
                    readonly changed: string;
                    /** Format: date-time */
                    readonly now: string;
                    /** @description values, resolvers, policies and realms */
                    readonly total: number;
                    readonly ldapresolver: number;
                    readonly sqlresolver: number;
                    readonly passwdresolver: number;
                    readonly policies: number;
                    readonly realms: number;
                    readonly managedresolver: number;
                };
            };
        };
        readonly MonitoringLicenseAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @constant */
                    readonly support: "community support";
                } | {
                    /** @constant */
                    readonly valid: false;
                    readonly message: string;
                } | ({
                    readonly "user-num": number;
                    readonly "user-active": number;
                    readonly "user-left": number;
                } & {
                    readonly [key: string]: string | number | boolean;
                }) | ({
                    readonly "token-num": number;
                    readonly "token-active": number;
                    readonly "token-left": number;
                } & {
                    readonly [key: string]: string | number | boolean;
                });
            };
        };
        readonly MonitoringStorageEncryptionAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description true: a secret was stored, read and found encrypted */
                readonly value: boolean;
            };
        };
        readonly OcraRequestParameters: {
            /**
             * @description the serial of a token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /**
             * @description the text that the app displays
             * @example Pay 50 EUR
             */
            readonly data: string;
            /** @description answers with a QR code: `png` the picture, `img` or `embed` an `<img>`, any other value a page */
            readonly qr?: string;
            /** @description width of the QR code in pixels, 50 to 2000 */
            readonly width?: string;
        };
        readonly OcraRequestAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: false;
            };
            readonly detail: {
                /** @description the transaction */
                readonly transactionid: string;
                /** @description the content of the QR code: `lseqr://req?…` */
                readonly data: string;
            };
        };
        readonly OcraCheckTParameters: {
            /**
             * Format: password
             * @description the response, after the PIN that the policy `otppin` asks for
             * @example 492017
             */
            readonly pass: string;
            /**
             * @description the transaction
             * @example 5f1c0e9a7b3d42860c1e
             */
            readonly transactionid: string;
        };
        readonly OcraCheckTAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description the number of wrong responses since the last right one */
                    readonly failcount: number;
                    /** @description true: the response was accepted, once and for all */
                    readonly result: boolean;
                };
            };
        };
        readonly OcraCheckstatusParameters: {
            /**
             * @description the transaction; default: all of the token
             * @example 5f1c0e9a7b3d42860c1e
             */
            readonly transactionid?: string;
            /**
             * @description the serial of a token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /**
             * @description answer when the state of the transaction changes, or after this time: `20S`, at most `60S`
             * @example 20S
             */
            readonly wait?: string;
            /**
             * @description with `wait`: the state that the client has, `received_tan,valid_tan,failcount`; any other is answered at once
             * @example false,false,0
             */
            readonly known?: string;
        };
        readonly OcraCheckstatusAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: readonly {
                    /** @description the serial of the token */
                    readonly serial: string;
                    /** @description the transaction */
                    readonly transactionid: string;
                    /** @description true: a response has come */
                    readonly received_tan: boolean;
                    /** @description true: a response was accepted */
                    readonly valid_tan: boolean;
                    /** @description the number of wrong responses since the last right one */
                    readonly failcount: number;
                }[];
            };
        };
        readonly OcraParameters: {
            /**
             * @description the transaction; default: all of the token
             * @example 5f1c0e9a7b3d42860c1e
             */
            readonly transactionid?: string;
            /**
             * @description the serial of a token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /**
             * @description answer when the state of the transaction changes, or after this time: `20S`, at most `60S`
             * @example 20S
             */
            readonly wait?: string;
            /**
             * @description with `wait`: the state that the client has, `received_tan,valid_tan,failcount`; any other is answered at once
             * @example false,false,0
             */
            readonly known?: string;
        };
        readonly OcraAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: readonly {
                    /** @description the serial of the token */
                    readonly serial: string;
                    /** @description the transaction */
                    readonly transactionid: string;
                    /** @description true: a response has come */
                    readonly received_tan: boolean;
                    /** @description true: a response was accepted */
                    readonly valid_tan: boolean;
                    /** @description the number of wrong responses since the last right one */
                    readonly failcount: number;
                }[];
            };
        };
        readonly OcraGetActivationCodeParameters: {
            /**
             * @description the text to encode; default: random bytes
             * @example 1234567890
             */
            readonly activationcode?: string;
        };
        readonly OcraGetActivationCodeAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description base32, then the checksum: two hexadecimal digits */
                    readonly activationcode: string;
                };
            };
        };
        readonly OcraCalculateOtpParameters: {
            /**
             * Format: password
             * @description the shared secret of the roll-out, hexadecimal
             */
            readonly sharedsecret?: string;
            /**
             * Format: password
             * @description the activation code of the roll-out
             */
            readonly activationcode?: string;
            /**
             * Format: password
             * @description the nonce of the roll-out, hexadecimal
             */
            readonly nonce?: string;
            /**
             * @description the OCRA suite
             * @example OCRA-1:HOTP-SHA256-6:C-QA64
             */
            readonly ocrasuite?: string;
            /**
             * @description the question
             * @example Pay50EUR00
             */
            readonly challenge?: string;
            /**
             * @description the counter; default: 0
             * @example 0
             */
            readonly counter?: string;
            /**
             * Format: password
             * @description the PIN of a suite with P
             */
            readonly ocrapin?: string;
            /**
             * Format: password
             * @description the URL of the first phase of the roll-out
             */
            readonly init1?: string;
            /**
             * Format: password
             * @description the URL of the second phase of the roll-out
             */
            readonly init2?: string;
            /**
             * Format: password
             * @description takes precedence over `nonce`
             */
            readonly no?: string;
            /** @description takes precedence over `ocrasuite` */
            readonly os?: string;
        };
        readonly OcraCalculateOtpAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description the response: decimal digits */
                    readonly otp: string;
                };
            };
        };
        readonly AdminInitParameters: {
            /**
             * @description `ocra` or `ocra2`
             * @example ocra
             */
            readonly type?: string;
            /**
             * @description the serial of the token; default: a generated one
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /**
             * @description `1`: the server generates the key
             * @example 1
             */
            readonly genkey?: string;
            /**
             * Format: password
             * @description the key, hexadecimal
             */
            readonly otpkey?: string;
            /**
             * @description `1`: the first phase of the roll-out
             * @example 1
             */
            readonly sharedsecret?: string;
            /**
             * Format: password
             * @description the activation code: the second phase of the roll-out
             * @example GEZDGNBVGY3TQOJQ01
             */
            readonly activationcode?: string;
            /** @description the text that the app displays in the second phase */
            readonly message?: string;
            /**
             * @description the OCRA suite
             * @example OCRA-1:HOTP-SHA256-6:C-QA64
             */
            readonly ocrasuite?: string;
            /**
             * Format: password
             * @description the token PIN
             */
            readonly pin?: string;
            /**
             * Format: password
             * @description the PIN of a suite with P
             */
            readonly ocrapin?: string;
            /** @description a description of the token */
            readonly description?: string;
            /** @description answers with a QR code: `png` the picture, `img` or `embed` an `<img>`, any other value a page */
            readonly qr?: string;
            /** @description width of the QR code in pixels, 50 to 2000 */
            readonly width?: string;
        };
        readonly AdminInitAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
            readonly detail: {
                /** @description the URL that the app imports: `lseqr://init?…`, `lseqr://nonce?…` */
                readonly app_import: string;
                /** @description the serial of the token */
                readonly serial: string;
                readonly ocraurl: {
                    /** @description an `<img>` with the QR code; empty where there is nothing to import */
                    readonly img: string;
                    /** @description the position among several entries */
                    readonly order: string;
                    /** @description the content of the QR code */
                    readonly value: string | null;
                    readonly description: string;
                };
                /** @description the shared secret, hexadecimal */
                readonly sharedsecret: string;
            } | {
                /** @description the serial of the token */
                readonly serial: string;
                /** @description the nonce, hexadecimal */
                readonly nonce: string;
                /** @description the first transaction, which completes the roll-out */
                readonly transactionid: string;
                /** @description the question of the first transaction */
                readonly challenge: string;
                /** @description the address that the app sends the response to; empty without a policy */
                readonly url: string;
                /** @description the signature of `app_import`, hexadecimal */
                readonly signature: string;
                /** @description the URL that the app imports: `lseqr://init?…`, `lseqr://nonce?…` */
                readonly app_import: string;
                readonly ocraurl: {
                    /** @description an `<img>` with the QR code; empty where there is nothing to import */
                    readonly img: string;
                    /** @description the position among several entries */
                    readonly order: string;
                    /** @description the content of the QR code */
                    readonly value: string | null;
                    readonly description: string;
                };
            } | {
                /** @description the serial of the token */
                readonly serial: string;
                readonly ocraurl: {
                    /** @description an `<img>` with the QR code; empty where there is nothing to import */
                    readonly img: string;
                    /** @description the position among several entries */
                    readonly order: string;
                    /** @description the content of the QR code */
                    readonly value: string | null;
                    readonly description: string;
                };
                readonly otpkey: {
                    /** @description an `<img>` with the QR code; empty where there is nothing to import */
                    readonly img: string;
                    /** @description the position among several entries */
                    readonly order: string;
                    /** @description the content of the QR code */
                    readonly value: string | null;
                    readonly description: string;
                };
            };
        };
        readonly AdminGetsessionAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminDropsessionAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminLoginParameters: {
            /**
             * @description the name of the administrator
             * @default
             */
            readonly username: string;
            /**
             * Format: password
             * @description the password
             * @default
             */
            readonly password: string;
        };
        readonly AdminLoginAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminLogoutAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminSignInParameters: {
            /**
             * @description the name of the administrator
             * @default
             */
            readonly username: string;
            /**
             * Format: password
             * @description the password
             * @default
             */
            readonly password: string;
        };
        readonly AdminSignInAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @constant */
                    readonly signed_in: true;
                } | {
                    /** @constant */
                    readonly signed_in: false;
                    /** @constant */
                    readonly second_factor: "token";
                    /** Format: date-time */
                    readonly expires: string;
                } | {
                    /** @constant */
                    readonly signed_in: false;
                    /** @constant */
                    readonly second_factor: "passkey";
                    /** Format: date-time */
                    readonly expires: string;
                    readonly options: {
                        readonly challenge: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
            readonly detail?: {
                readonly transactionid: string;
                readonly data: string;
            };
        };
        readonly AdminSignInFinishParameters: {
            /**
             * Format: password
             * @description the response of the token
             */
            readonly response?: string;
            /**
             * Format: password
             * @description the assertion of the passkey, as JSON
             */
            readonly credential?: string;
        };
        readonly AdminSignInFinishAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @constant */
                    readonly signed_in: true;
                } | {
                    /** @constant */
                    readonly signed_in: false;
                };
            };
        };
        readonly AdminPasskeysAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: readonly {
                    readonly id: string;
                    readonly name: string;
                    /** Format: date-time */
                    readonly created: string;
                    readonly lastused: string | null;
                }[];
            };
        };
        readonly AdminPasskeysOptionsParameters: {
            /**
             * Format: password
             * @description the password of the caller, again
             */
            readonly password: string;
        };
        readonly AdminPasskeysOptionsAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** Format: date-time */
                    readonly expires: string;
                    readonly options: {
                        readonly challenge: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly AdminPasskeysRemoveParameters: {
            /**
             * @description the passkey, as in /admin/passkeys
             * @example 3
             */
            readonly id: string;
        };
        readonly AdminPasskeysRemoveAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminSignInPasskeyLinkParameters: {
            /**
             * Format: password
             * @description what follows `#link=` in the link
             */
            readonly link: string;
        };
        readonly AdminSignInPasskeyLinkAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** Format: date-time */
                    readonly expires: string;
                    readonly options: {
                        readonly challenge: string;
                    } & {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly AdminSignInPasskeyParameters: {
            /**
             * Format: password
             * @description what `navigator.credentials.create` has made, as JSON
             */
            readonly credential: string;
            /**
             * @description what its owner calls it
             * @example laptop
             */
            readonly name: string;
        };
        readonly AdminSignInPasskeyAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminSignInOidcAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** Format: uri */
                    readonly url: string;
                    /** Format: date-time */
                    readonly expires: string;
                };
            };
        };
        readonly AdminSessionsParameters: {
            /**
             * @description whose sessions, `*` for all; default: those of the caller
             * @example anna
             */
            readonly administrator?: string;
        };
        readonly AdminSessionsAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: readonly {
                    readonly id: string;
                    readonly administrator: string;
                    /** @enum {string} */
                    readonly kind: "session" | "login";
                    readonly client: string;
                    /** Format: date-time */
                    readonly created: string;
                    /** Format: date-time */
                    readonly expires: string;
                    readonly own: boolean;
                }[];
            };
        };
        readonly AdminSessionsEndParameters: {
            /**
             * @description whose sessions; default: those of the caller
             * @example anna
             */
            readonly administrator?: string;
            /**
             * @description the session, as in /admin/sessions
             * @example 17
             */
            readonly id?: string;
            /**
             * @description `1`, in place of `id`: every session
             * @example 1
             */
            readonly all?: string;
        };
        readonly AdminSessionsEndAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: number;
            };
        };
        readonly AdminOverviewAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description null without the right `monitoring:tokens` */
                    readonly tokens: {
                        readonly realms: readonly {
                            /** @description the realm, `/:no realm:/` for tokens in none */
                            readonly realm: string;
                            readonly total: number;
                            readonly active: number;
                            readonly inactive: number;
                            readonly assigned: number;
                            readonly unassigned: number;
                            readonly locked: number;
                        }[];
                        /** @description all these realms; a token in several of them counts once */
                        readonly summary: {
                            readonly total: number;
                            readonly active: number;
                            readonly inactive: number;
                            readonly assigned: number;
                            readonly unassigned: number;
                            readonly locked: number;
                        };
                    } | null;
                    /** @description null without the right `monitoring:activeUsers` */
                    readonly active_users: {
                        readonly realms: readonly {
                            /** @description the realm, `/:no realm:/` for tokens in none */
                            readonly realm: string;
                            readonly users: number;
                        }[];
                        /** @description users with an active token, each once */
                        readonly total: number;
                    } | null;
                    /** @description null without the right `monitoring:userinfo` */
                    readonly users: readonly {
                        readonly resolver: string;
                        /** @description the shown realms that use it */
                        readonly realms: readonly string[];
                        /** @description null: never counted with its present settings */
                        readonly users: number | null;
                        /** @description the time of the count; null: the number is the present one */
                        readonly counted: string | null;
                    }[] | null;
                    /** @description null without the right `monitoring:license` */
                    readonly licence: {
                        /** @enum {string} */
                        readonly state: "none" | "valid" | "invalid";
                        /** @description why it is invalid */
                        readonly explanation: string | null;
                        readonly unit: ("user" | "token") | null;
                        readonly licensed: number | null;
                        readonly active: number | null;
                        /** @description the first instant at which it is no longer valid */
                        readonly ends: string | null;
                    } | null;
                    /** @description null without the right `monitoring:config` */
                    readonly configuration: {
                        /** @description this server uses the configuration of the database */
                        readonly in_sync: boolean;
                        /** Format: date-time */
                        readonly changed: string;
                        readonly values: number;
                        readonly realms: number;
                        readonly policies: number;
                        readonly resolvers: {
                            readonly managed: number;
                            readonly passwd: number;
                            readonly sql: number;
                            readonly ldap: number;
                        };
                    } | null;
                    /** @description a new secret was found encrypted, a minute ago at most; null without the right `monitoring:storageEncryption` */
                    readonly storage_encryption: boolean | null;
                    /** @description null without the right `system:read` */
                    readonly resolvers: readonly {
                        readonly resolver: string;
                        /** @enum {string} */
                        readonly kind: "managed" | "passwd" | "sql" | "ldap";
                        /**
                         * @description at its last use by any server
                         * @enum {string}
                         */
                        readonly state: "available" | "unavailable" | "unknown";
                        readonly succeeded: string | null;
                        readonly failed: string | null;
                    }[] | null;
                    /** @description of the last hour, in all realms, with the time that verification took; null without the right `monitoring:metrics` */
                    readonly responses: {
                        /** Format: date-time */
                        readonly since: string;
                        /** @description the numbers of those that there were */
                        readonly outcomes: {
                            readonly [key: string]: number;
                        };
                        /** @description milliseconds; null without responses */
                        readonly p50_ms: number | null;
                        /** @description milliseconds; null without responses */
                        readonly p95_ms: number | null;
                        /** @description the last sixty */
                        readonly minutes: readonly {
                            /** Format: date-time */
                            readonly minute: string;
                            /** @description the numbers of those that there were */
                            readonly outcomes: {
                                readonly [key: string]: number;
                            };
                            /** @description milliseconds; null without responses */
                            readonly p50_ms: number | null;
                            /** @description milliseconds; null without responses */
                            readonly p95_ms: number | null;
                        }[];
                    } | null;
                };
            };
        };
        readonly AdminRightsAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly administrator: string;
                    readonly rights: readonly {
                        /** @enum {string} */
                        readonly scope: "admin" | "system" | "monitoring" | "ocra";
                        readonly action: string;
                        /** @description where it holds; `*`: everywhere */
                        readonly realms: "*" | readonly string[];
                    }[];
                };
            };
        };
        readonly AdminResyncParameters: {
            /**
             * Format: password
             * @description the first response
             */
            readonly otp1: string;
            /**
             * Format: password
             * @description the second response
             */
            readonly otp2: string;
            /** @description the serial of the token */
            readonly serial?: string;
            /** @description the login of the owner */
            readonly user?: string;
            /** @description the realm of the owner */
            readonly realm?: string;
            /** @description the question of `otp1`; default: that of the last but one challenge */
            readonly challenge1?: string;
            /** @description the question of `otp2`; default: that of the last challenge */
            readonly challenge2?: string;
        };
        readonly AdminResyncAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description true: both responses fit, and the token is in step */
                readonly value: boolean;
            };
        };
        readonly AdminLoadtokensParameters: {
            /**
             * Format: password
             * @description the PSKC file (RFC 6030)
             */
            readonly file: string;
            /** @description `pskc` */
            readonly type?: string;
            /**
             * Format: password
             * @description the password of the file
             */
            readonly pskc_password?: string;
            /**
             * Format: password
             * @description the pre-shared key of the file, hexadecimal
             */
            readonly pskc_preshared?: string;
            /** @description the realm of the tokens */
            readonly realm?: string;
            /** @description the same, where `realm` is left out */
            readonly targetrealm?: string;
        };
        readonly AdminLoadtokensAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description the number of tokens that were added */
                    readonly imported: number;
                };
            };
        };
        readonly AuditSearchParameters: {
            /** @description the token, or whatever else the act was about */
            readonly serial?: string;
            /** @description the administrator; `operator:NAME` for commands */
            readonly actor?: string;
            /** @description such as `ocra/check_t` or `admin/init`; an unknown one is refused */
            readonly action?: string;
            /** @description a realm of what the act was about */
            readonly realm?: string;
            /** @description such as `accepted`, `wrong` or `created`; an unknown one is refused */
            readonly outcome?: string;
            /** @description the address */
            readonly client?: string;
            /** @description the id of the request */
            readonly request?: string;
            /** @description the transaction */
            readonly transactionid?: string;
            /** @description a date, a time, or a duration back from now (`30M`, `1H`, `2D`, `1W`) */
            readonly since?: string;
            /** @description likewise; excludes this instant itself */
            readonly until?: string;
            /** @description the number of rows on a page, 1 to 1000; default: 100 */
            readonly limit?: string;
            /** @description `next` of the page before; default: the first page */
            readonly cursor?: string;
        };
        readonly AuditSearchAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly rows: readonly {
                        /** @description decimal digits */
                        readonly id: string;
                        /** @description UTC, to the microsecond */
                        readonly at: string;
                        readonly actor: string;
                        readonly action: string;
                        /** @description the object of the act, such as the serial of a token */
                        readonly serial: string;
                        /** @description the realms of the object, separated by commas */
                        readonly realm: string;
                        readonly outcome: string;
                        readonly client: string;
                        /** @description the id of the request */
                        readonly request: string;
                        /** @description empty where the act concerns no transaction */
                        readonly transactionid: string;
                    }[];
                    /** @description `cursor` of the next page; null: there is none */
                    readonly next: string | null;
                };
            };
        };
        readonly AdminTransactionParameters: {
            /** @description the transaction */
            readonly transactionid: string;
        };
        readonly AdminTransactionAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly transactionid: string;
                    readonly serial: string;
                    readonly realms: readonly string[];
                    /** @enum {string} */
                    readonly state: "open" | "expired" | "accepted" | "given up" | "superseded" | "ended";
                    /** @description false: the challenge is removed, and the audit alone tells its history */
                    readonly stored: boolean;
                    /** @description the display data */
                    readonly data?: string;
                    /** @description true: the caller lacks the right to the display data */
                    readonly withheld: boolean;
                    readonly events: readonly {
                        /** @description UTC, to the microsecond */
                        readonly at: string;
                        /** @enum {string} */
                        readonly event: "issued" | "wrong" | "accepted" | "given up" | "refused" | "expired" | "superseded" | "other";
                        /** @description in words; empty where the event says it all */
                        readonly reason: string;
                        /** @description the action of the audit row; empty for a derived event */
                        readonly action: string;
                        readonly actor: string;
                        readonly client: string;
                        readonly requestid: string;
                        /** @description true: no audit row reports the event, it follows from the challenge */
                        readonly derived: boolean;
                    }[];
                    /** @description the number of further events that have no row */
                    readonly more: number;
                };
            };
        };
        readonly ValidateCheckParameters: {
            /**
             * @description the login of the user
             * @example alice
             */
            readonly user: string;
            /**
             * Format: password
             * @description the response, after the PIN that the policy `otppin` asks for
             * @example 492017
             */
            readonly pass: string;
            /**
             * @description the realm of the user
             * @example customers
             */
            readonly realm?: string;
            /** @description the transaction; default: every open one */
            readonly transactionid?: string;
            /** @description the transaction, where `transactionid` is left out */
            readonly state?: string;
        };
        readonly ValidateCheckAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description true: the response was accepted, once and for all */
                readonly value: boolean;
            };
        };
        readonly ValidateCheckSParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial: string;
            /**
             * Format: password
             * @description the response, after the PIN that the policy `otppin` asks for
             * @example 492017
             */
            readonly pass: string;
            /** @description the transaction; default: every open one */
            readonly transactionid?: string;
            /** @description the transaction, where `transactionid` is left out */
            readonly state?: string;
        };
        readonly ValidateCheckSAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description true: the response was accepted, once and for all */
                readonly value: boolean;
            };
        };
        readonly ValidateCheckTParameters: {
            /**
             * Format: password
             * @description the response, after the PIN that the policy `otppin` asks for
             * @example 492017
             */
            readonly pass: string;
            /**
             * @description the transaction
             * @example 5f1c0e9a7b3d42860c1e
             */
            readonly transactionid: string;
        };
        readonly ValidateCheckTAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description the number of wrong responses since the last right one */
                    readonly failcount: number;
                    /** @description true: the response was accepted, once and for all */
                    readonly value: boolean;
                };
            };
        };
        readonly AdminShowParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
            /** @description a comma list of realms, `/:no realm:/` for tokens in none; empty or `*`: all */
            readonly viewrealm?: string;
            /**
             * @description the number of the page, from 1
             * @example 1
             */
            readonly page?: string;
            /**
             * @description the number of tokens on a page
             * @example 50
             */
            readonly pagesize?: string;
            /** @description not supported; refused */
            readonly filter?: string;
            /** @description `json` */
            readonly outform?: string;
        };
        readonly AdminShowAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    /** @description the number of tokens on all pages */
                    readonly total: number;
                    readonly page: number;
                    readonly pagesize: number;
                    readonly tokens: readonly {
                        readonly serial: string;
                        readonly type: string;
                        readonly description: string;
                        /** @description the login of the owner; null: nobody */
                        readonly user: string | null;
                        /** @description the resolver of the owner */
                        readonly resolver: string | null;
                        readonly realms: readonly string[];
                        readonly active: boolean;
                        /** @description the number of wrong responses since the last right one */
                        readonly failcount: number;
                        /** @description the number of wrong responses that locks the token */
                        readonly maxfail: number;
                        /** @description the next counter: 64 bits, as a text */
                        readonly counter: string;
                        readonly counterwindow: number;
                        readonly syncwindow: number;
                        readonly ocrasuite: string | null;
                        /** @description the phase of the roll-out */
                        readonly rollout: string;
                        /** Format: date-time */
                        readonly created: string;
                        /** @description the time of the last accepted response */
                        readonly lastsuccess: string | null;
                    }[];
                };
            };
        };
        readonly AdminSetParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
            /**
             * Format: password
             * @description the token PIN
             */
            readonly pin?: string;
            /**
             * @description the number of wrong responses that locks the token
             * @example 10
             */
            readonly maxfailcount?: string;
            /**
             * @description the number of counters that a response may be ahead
             * @example 10
             */
            readonly counterwindow?: string;
            /**
             * @description the number of counters that are searched to resynchronise
             * @example 1000
             */
            readonly syncwindow?: string;
            /**
             * Format: password
             * @description the PIN of a suite with P
             */
            readonly ocrapin?: string;
            /** @description the description of the token */
            readonly description?: string;
        };
        readonly AdminSetAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminResetParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
        };
        readonly AdminResetAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminEnableParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
        };
        readonly AdminEnableAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminDisableParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
        };
        readonly AdminDisableAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminRemoveParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
        };
        readonly AdminRemoveAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminAssignParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial: string;
            /**
             * @description the login of the user
             * @example alice
             */
            readonly user: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
            /**
             * Format: password
             * @description the token PIN
             */
            readonly pin?: string;
        };
        readonly AdminAssignAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminUnassignParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial?: string;
            /**
             * @description the login of the owner
             * @example alice
             */
            readonly user?: string;
            /**
             * @description the realm of the owner
             * @example customers
             */
            readonly realm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
        };
        readonly AdminUnassignAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly AdminTokenrealmParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial: string;
            /**
             * @description a comma list of realms
             * @example customers,staff
             */
            readonly realms: string;
        };
        readonly AdminTokenrealmAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @description the number of tokens that were changed */
                readonly value: number;
            };
        };
        readonly AdminUserlistParameters: {
            /** @description a realm; default: the default realm, or all that have the resolver */
            readonly realm?: string;
            /** @description the only resolver to ask */
            readonly resconf?: string;
            /** @description the login must equal it but for case; `*` stands for any text */
            readonly username?: string;
            /** @description the id must equal it but for case; `*` stands for any text */
            readonly userid?: string;
            /** @description the given name must equal it but for case; `*` stands for any text */
            readonly givenname?: string;
            /** @description the surname must equal it but for case; `*` stands for any text */
            readonly surname?: string;
            /** @description the e-mail address must equal it but for case; `*` stands for any text */
            readonly email?: string;
            /** @description the phone number must equal it but for case; `*` stands for any text */
            readonly phone?: string;
        };
        readonly AdminUserlistAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: readonly {
                    readonly username: string;
                    readonly userid: string;
                    readonly givenname: string;
                    readonly surname: string;
                    readonly email: string;
                    readonly phone: string;
                    /** @description empty: resolvers here have one phone number */
                    readonly mobile: string;
                    /** @description empty */
                    readonly description: string;
                    /** @description the class and the name of the resolver, as LinOTP writes them */
                    readonly useridresolver: string;
                }[];
            };
        };
        readonly SystemSetPolicyParameters: {
            /**
             * @description the name of the policy
             * @example helpdesk
             */
            readonly name: string;
            /**
             * @description the scope
             * @example admin
             */
            readonly scope: string;
            /**
             * @description the actions, a comma list
             * @example show, enable, disable
             */
            readonly action: string;
            /** @description the realms, a comma list, `*` for all; empty: all in the scopes system and ocra, refused in others */
            readonly realm?: string;
            /** @description the users or administrators, a comma list, `*` for all; empty: all in the scope authentication, refused in others */
            readonly user?: string;
            /**
             * @description the addresses of clients, a comma list; empty: all
             * @example 10.0.0.0/8
             */
            readonly client?: string;
            /** @description the times at which it holds; empty: always */
            readonly time?: string;
            /**
             * @description `True` or `False`
             * @example True
             */
            readonly active?: string;
        };
        readonly SystemSetPolicyAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemGetPolicyParameters: {
            /** @description lists the policy of this name */
            readonly name?: string;
            /** @description lists policies of this scope */
            readonly scope?: string;
            /** @description lists policies with this action */
            readonly action?: string;
            /** @description lists policies for this realm */
            readonly realm?: string;
            /** @description lists policies for this user */
            readonly user?: string;
        };
        readonly SystemGetPolicyAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly [key: string]: {
                        readonly name: string;
                        readonly scope: string;
                        /** @description comma list of `action` or `action=value` */
                        readonly action: string;
                        /** @description comma list */
                        readonly realm: string;
                        /** @description comma list */
                        readonly user: string;
                        /** @description comma list of addresses and networks; empty: any */
                        readonly client: string;
                        /** @description `minute hour day month weekday year;`; empty: always */
                        readonly time: string;
                        readonly active: boolean;
                    };
                };
            };
        };
        readonly SystemDelPolicyParameters: {
            /**
             * @description the name of the policy
             * @example helpdesk
             */
            readonly name: string;
        };
        readonly SystemDelPolicyAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemSetResolverParameters: {
            /**
             * @description the name of the resolver
             * @example directory
             */
            readonly name: string;
            /**
             * @description `passwd`, `sql`, `ldap` or `managed`, also as `passwdresolver`
             * @example ldap
             */
            readonly type: string;
            /** @description a setting, see the guide to resolvers */
            readonly filename?: string;
            /** @description a setting, see the guide to resolvers */
            readonly driver?: string;
            /** @description a setting, see the guide to resolvers */
            readonly server?: string;
            /** @description a setting, see the guide to resolvers */
            readonly port?: string;
            /** @description a setting, see the guide to resolvers */
            readonly database?: string;
            /** @description a setting, see the guide to resolvers */
            readonly user?: string;
            /**
             * Format: password
             * @description a setting, see the guide to resolvers
             */
            readonly password?: string;
            /** @description a setting, see the guide to resolvers */
            readonly table?: string;
            /** @description a setting, see the guide to resolvers */
            readonly map?: string;
            /** @description a setting, see the guide to resolvers */
            readonly where?: string;
            /** @description a setting, see the guide to resolvers */
            readonly limit?: string;
            /** @description a setting, see the guide to resolvers */
            readonly encoding?: string;
            /** @description a setting, see the guide to resolvers */
            readonly conparams?: string;
            /** @description a setting, see the guide to resolvers */
            readonly cacertificate?: string;
            /**
             * Format: password
             * @description a setting, see the guide to resolvers
             */
            readonly connect?: string;
            /** @description a setting, see the guide to resolvers */
            readonly ldapuri?: string;
            /** @description a setting, see the guide to resolvers */
            readonly ldapbase?: string;
            /** @description a setting, see the guide to resolvers */
            readonly binddn?: string;
            /**
             * Format: password
             * @description a setting, see the guide to resolvers
             */
            readonly bindpw?: string;
            /** @description a setting, see the guide to resolvers */
            readonly timeout?: string;
            /** @description a setting, see the guide to resolvers */
            readonly sizelimit?: string;
            /** @description a setting, see the guide to resolvers */
            readonly loginnameattribute?: string;
            /** @description a setting, see the guide to resolvers */
            readonly ldapsearchfilter?: string;
            /** @description a setting, see the guide to resolvers */
            readonly ldapfilter?: string;
            /** @description a setting, see the guide to resolvers */
            readonly userinfo?: string;
            /** @description a setting, see the guide to resolvers */
            readonly uidtype?: string;
            /** @description a setting, see the guide to resolvers */
            readonly noreferrals?: string;
            /** @description a setting, see the guide to resolvers */
            readonly enforcetls?: string;
            /** @description a setting, see the guide to resolvers */
            readonly only_trusted_certs?: string;
        };
        readonly SystemSetResolverAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemGetResolversAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly [key: string]: {
                        readonly name: string;
                        readonly type: string;
                    } & {
                        readonly [key: string]: string;
                    };
                };
            };
        };
        readonly SystemGetResolverParameters: {
            /**
             * @description the name of the resolver
             * @example directory
             */
            readonly resolver: string;
        };
        readonly SystemGetResolverAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly name: string;
                    readonly type: string;
                } & {
                    readonly [key: string]: string;
                };
            };
        };
        readonly SystemDelResolverParameters: {
            /**
             * @description the name of the resolver
             * @example directory
             */
            readonly resolver: string;
        };
        readonly SystemDelResolverAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemSetRealmParameters: {
            /**
             * @description the name of the realm
             * @example customers
             */
            readonly realm: string;
            /**
             * @description a comma list of resolvers
             * @example directory
             */
            readonly resolvers: string;
        };
        readonly SystemSetRealmAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemGetRealmsParameters: {
            /** @description lists the realm of this name */
            readonly realm?: string;
        };
        readonly SystemGetRealmsAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly [key: string]: {
                        readonly name: string;
                        readonly default: boolean;
                        readonly resolvers: readonly string[];
                    };
                };
            };
        };
        readonly SystemDelRealmParameters: {
            /**
             * @description the name of the realm
             * @example customers
             */
            readonly realm: string;
        };
        readonly SystemDelRealmAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemSetDefaultRealmParameters: {
            /** @description the name of the realm; empty: none */
            readonly realm?: string;
        };
        readonly SystemSetDefaultRealmAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemGetDefaultRealmAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly [key: string]: {
                        readonly name: string;
                        readonly default: boolean;
                        readonly resolvers: readonly string[];
                    };
                };
            };
        };
        readonly SystemSetConfigParameters: {
            /** @description the key of the value; left out: every parameter is a key with its value */
            readonly key?: string;
            /** @description the value of `key` */
            readonly value?: string;
            /** @description the type of the value in LinOTP: types of secrets are refused */
            readonly type?: string;
        };
        readonly SystemSetConfigAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
        readonly SystemGetConfigParameters: {
            /** @description the key of the value; default: all */
            readonly key?: string;
        };
        readonly SystemGetConfigAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                readonly value: {
                    readonly [key: string]: string;
                } | (string | null);
            };
        };
        readonly SystemDelConfigParameters: {
            /**
             * @description the key of the value
             * @example OcraMaxChallenges
             */
            readonly key: string;
        };
        readonly SystemDelConfigAnswer: {
            /**
             * @description the version of the server
             * @example Tankeeper
             */
            readonly version: string;
            /** @constant */
            readonly jsonrpc: "2.0";
            /**
             * @description the parameter `id`; default: 1
             * @example 1
             */
            readonly id: number;
            readonly result: {
                /** @constant */
                readonly status: true;
                /** @constant */
                readonly value: true;
            };
        };
    };
    responses: never;
    parameters: {
        /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
        readonly id: string;
        /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
        readonly httperror: string;
    };
    requestBodies: never;
    headers: {
        /** @description the id of the request in the log: that of the request header, or a new one */
        readonly "X-Request-Id": string;
        /** @description seconds to wait */
        readonly "Retry-After": number;
        /** @description Basic, or Sign-In after a step of a sign-in */
        readonly "WWW-Authenticate": string;
        /** @description the day of the deprecation (RFC 9745), with `Link` to its page */
        readonly Deprecation: string;
        /** @description the page on the deprecation */
        readonly Link: string;
        /** @description the day on which POST ends (RFC 8594), once it is set */
        readonly Sunset: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly postOcraRequest: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["OcraRequestParameters"];
                readonly "application/json": components["schemas"]["OcraRequestParameters"];
                readonly "multipart/form-data": components["schemas"]["OcraRequestParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OcraRequestAnswer"] | components["schemas"]["Failure"];
                    readonly "image/png": unknown;
                    readonly "text/html": string;
                };
            };
        };
    };
    readonly postOcraCheckT: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["OcraCheckTParameters"];
                readonly "application/json": components["schemas"]["OcraCheckTParameters"];
                readonly "multipart/form-data": components["schemas"]["OcraCheckTParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OcraCheckTAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postOcraCheckstatus: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["OcraCheckstatusParameters"];
                readonly "application/json": components["schemas"]["OcraCheckstatusParameters"];
                readonly "multipart/form-data": components["schemas"]["OcraCheckstatusParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description with `wait`: `changed`, `over` (the time), `closed` (the transaction takes no more responses), `full` (too many requests wait: ask again later) or `stopping` (the server) */
                    readonly "Tankeeper-Wait"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OcraCheckstatusAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postOcraGetActivationCode: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["OcraGetActivationCodeParameters"];
                readonly "application/json": components["schemas"]["OcraGetActivationCodeParameters"];
                readonly "multipart/form-data": components["schemas"]["OcraGetActivationCodeParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OcraGetActivationCodeAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postOcraCalculateOtp: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["OcraCalculateOtpParameters"];
                readonly "application/json": components["schemas"]["OcraCalculateOtpParameters"];
                readonly "multipart/form-data": components["schemas"]["OcraCalculateOtpParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OcraCalculateOtpAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminInit: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminInitParameters"];
                readonly "application/json": components["schemas"]["AdminInitParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminInitParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminInitAnswer"] | components["schemas"]["Failure"];
                    readonly "image/png": unknown;
                    readonly "text/html": string;
                };
            };
        };
    };
    readonly postAdminGetsession: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description the cookie `admin_session` */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminGetsessionAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminDropsession: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description removes the cookie `admin_session` */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminDropsessionAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminLogin: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminLoginParameters"];
                readonly "application/json": components["schemas"]["AdminLoginParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminLoginParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description the cookies `access_token_cookie` and `csrf_access_token` */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminLoginAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminLogout: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description removes the cookies of the login */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminLogoutAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSignIn: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSignInParameters"];
                readonly "application/json": components["schemas"]["AdminSignInParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSignInParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description the cookies `access_token_cookie` and `csrf_access_token`; or a cookie that names the sign-in for five minutes */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSignInFinish: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSignInFinishParameters"];
                readonly "application/json": components["schemas"]["AdminSignInFinishParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSignInFinishParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description with `signed_in`: the cookies `access_token_cookie` and `csrf_access_token` */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInFinishAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminPasskeys: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminPasskeysAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminPasskeysOptions: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminPasskeysOptionsParameters"];
                readonly "application/json": components["schemas"]["AdminPasskeysOptionsParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminPasskeysOptionsParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description a cookie that names the registration for five minutes */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminPasskeysOptionsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminPasskeysRemove: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminPasskeysRemoveParameters"];
                readonly "application/json": components["schemas"]["AdminPasskeysRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminPasskeysRemoveParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminPasskeysRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSignInPasskeyLink: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSignInPasskeyLinkParameters"];
                readonly "application/json": components["schemas"]["AdminSignInPasskeyLinkParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSignInPasskeyLinkParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description a cookie that names the registration for five minutes */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInPasskeyLinkAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSignInPasskey: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSignInPasskeyParameters"];
                readonly "application/json": components["schemas"]["AdminSignInPasskeyParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSignInPasskeyParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description removes the cookie of the registration */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInPasskeyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSignInOidc: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description a cookie that names the sign-in for five minutes */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInOidcAnswer"];
                };
            };
        };
    };
    readonly getAdminSignInOidcCallback: {
        readonly parameters: {
            readonly query?: {
                /** @description the authorization code */
                readonly code?: string;
                /** @description the state of the sign-in */
                readonly state?: string;
                /** @description the issuer (RFC 9207) */
                readonly iss?: string;
                /** @description the reason of the provider to sign nobody in */
                readonly error?: string;
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the answer, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description the cookies `access_token_cookie` and `csrf_access_token` */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                    readonly "text/html": string;
                };
            };
        };
    };
    readonly postAdminSessions: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSessionsParameters"];
                readonly "application/json": components["schemas"]["AdminSessionsParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSessionsParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSessionsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSessionsEnd: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSessionsEndParameters"];
                readonly "application/json": components["schemas"]["AdminSessionsEndParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSessionsEndParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSessionsEndAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminOverview: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminOverviewAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminRights: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminRightsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminResync: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminResyncParameters"];
                readonly "application/json": components["schemas"]["AdminResyncParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminResyncParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminResyncAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminLoadtokens: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminLoadtokensParameters"];
                readonly "application/json": components["schemas"]["AdminLoadtokensParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminLoadtokensParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminLoadtokensAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAuditSearch: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AuditSearchParameters"];
                readonly "application/json": components["schemas"]["AuditSearchParameters"];
                readonly "multipart/form-data": components["schemas"]["AuditSearchParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditSearchAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminTransaction: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminTransactionParameters"];
                readonly "application/json": components["schemas"]["AdminTransactionParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminTransactionParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminTransactionAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminShow: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminShowParameters"];
                readonly "application/json": components["schemas"]["AdminShowParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminShowParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminShowAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminSet: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSetParameters"];
                readonly "application/json": components["schemas"]["AdminSetParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSetParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSetAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminReset: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminResetParameters"];
                readonly "application/json": components["schemas"]["AdminResetParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminResetParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminResetAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminEnable: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminEnableParameters"];
                readonly "application/json": components["schemas"]["AdminEnableParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminEnableParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminEnableAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminDisable: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminDisableParameters"];
                readonly "application/json": components["schemas"]["AdminDisableParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminDisableParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminDisableAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminRemove: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminRemoveParameters"];
                readonly "application/json": components["schemas"]["AdminRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminRemoveParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAssign: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAssignParameters"];
                readonly "application/json": components["schemas"]["AdminAssignParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAssignParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminAssignAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminUnassign: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminUnassignParameters"];
                readonly "application/json": components["schemas"]["AdminUnassignParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminUnassignParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminUnassignAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminTokenrealm: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminTokenrealmParameters"];
                readonly "application/json": components["schemas"]["AdminTokenrealmParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminTokenrealmParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminTokenrealmAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminUserlist: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminUserlistParameters"];
                readonly "application/json": components["schemas"]["AdminUserlistParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminUserlistParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminUserlistAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSetPolicy: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSetPolicyParameters"];
                readonly "application/json": components["schemas"]["SystemSetPolicyParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSetPolicyParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemSetPolicyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetPolicy: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemGetPolicyParameters"];
                readonly "application/json": components["schemas"]["SystemGetPolicyParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemGetPolicyParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetPolicyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemDelPolicy: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemDelPolicyParameters"];
                readonly "application/json": components["schemas"]["SystemDelPolicyParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemDelPolicyParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemDelPolicyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSetResolver: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSetResolverParameters"];
                readonly "application/json": components["schemas"]["SystemSetResolverParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSetResolverParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemSetResolverAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetResolvers: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetResolversAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetResolver: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemGetResolverParameters"];
                readonly "application/json": components["schemas"]["SystemGetResolverParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemGetResolverParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetResolverAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemDelResolver: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemDelResolverParameters"];
                readonly "application/json": components["schemas"]["SystemDelResolverParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemDelResolverParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemDelResolverAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSetRealm: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSetRealmParameters"];
                readonly "application/json": components["schemas"]["SystemSetRealmParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSetRealmParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemSetRealmAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetRealms: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemGetRealmsParameters"];
                readonly "application/json": components["schemas"]["SystemGetRealmsParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemGetRealmsParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetRealmsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemDelRealm: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemDelRealmParameters"];
                readonly "application/json": components["schemas"]["SystemDelRealmParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemDelRealmParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemDelRealmAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSetDefaultRealm: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSetDefaultRealmParameters"];
                readonly "application/json": components["schemas"]["SystemSetDefaultRealmParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSetDefaultRealmParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemSetDefaultRealmAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetDefaultRealm: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetDefaultRealmAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSetConfig: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSetConfigParameters"];
                readonly "application/json": components["schemas"]["SystemSetConfigParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSetConfigParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemSetConfigAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemGetConfig: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemGetConfigParameters"];
                readonly "application/json": components["schemas"]["SystemGetConfigParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemGetConfigParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemGetConfigAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemDelConfig: {
        readonly parameters: {
            readonly query?: {
                /** @description a whole number that the answer repeats as its `id`, in the documented dialect */
                readonly id?: components["parameters"]["id"];
                /** @description the HTTP status of a failure that would come with 200: 400 to 599; any other value: 500 */
                readonly httperror?: components["parameters"]["httperror"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemDelConfigParameters"];
                readonly "application/json": components["schemas"]["SystemDelConfigParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemDelConfigParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SystemDelConfigAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
}
