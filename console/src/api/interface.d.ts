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
    readonly "/admin/sign-in/methods": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The ways to sign in besides the password; nothing about accounts
         * @description Open to all.
         */
        readonly post: operations["postAdminSignInMethods"];
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
    readonly "/admin/confirmation": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirms the login for five minutes by the password, or requests the second factor
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminConfirmation"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/confirmation/finish": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Confirms the login by the second factor; without a parameter, asks whether the app has answered by itself
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminConfirmationFinish"];
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
         * Begins the registration of a passkey of the caller, with a confirmed login
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
         * Removes a passkey of the caller, unless it is the last one, with a confirmed login
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
    readonly "/admin/administrators": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The administrators with their second factors
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postAdminAdministrators"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Changes the password of the caller, and ends all of their sessions; API tokens stay
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/add": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adds an administrator, with a confirmed login
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsAdd"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes another administrator, with sessions and API tokens, with a confirmed login; the last one stays
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets the password of another administrator, with a confirmed login; ends all sessions
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/second-factor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Binds a token to an administrator as second factor, with a confirmed login; ends all sessions
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsSecondFactor"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/second-factor/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Leaves an administrator the password alone, with a confirmed login; ends all sessions
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsSecondFactorRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/administrators/passkey-link": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes a link by which an administrator registers a passkey, once and within an hour; shown once
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminAdministratorsPasskeyLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/api-tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The API tokens of an administrator; the tokens themselves are not kept
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postAdminApiTokens"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/api-tokens/add": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes an API token, with a confirmed login, and shows it this once
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminApiTokensAdd"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/api-tokens/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes an API token, which is refused within a second
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postAdminApiTokensRemove"];
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
    readonly "/audit/values": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The actions and outcomes that rows of the audit trail may have
         * @description Requires the right `admin:audit`.
         */
        readonly post: operations["postAuditValues"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A file of the audit trail; it can be verified if it is JSON lines and no filter but times is given
         * @description Requires the right `admin:audit`.
         */
        readonly post: operations["postAuditExport"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Begins to verify the whole audit trail in the background; the running verification if there is one
         * @description Requires the right `admin:audit`.
         */
        readonly post: operations["postAuditVerify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/verification": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The progress or the result of the newest verification of the audit trail
         * @description Requires the right `admin:audit`.
         */
        readonly post: operations["postAuditVerification"];
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
    readonly "/admin/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Finds tokens by the beginning of the serial (admin:show), people by the beginning of a name (admin:userlist) and a transaction (admin:transaction), ten of each kind at most
         * @description Requires any credential of an administrator.
         */
        readonly post: operations["postAdminSearch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/person": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A user with their tokens; names with admin:userlist only, the latest transactions with admin:transaction only
         * @description Requires the right `admin:show`.
         */
        readonly post: operations["postAdminPerson"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A token, with its latest transactions for callers with admin:transaction
         * @description Requires the right `admin:show`.
         */
        readonly post: operations["postAdminToken"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * A page of tokens by serial, also of many, without counting them one by one
         * @description Requires the right `admin:show`.
         */
        readonly post: operations["postAdminTokens"];
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
    readonly "/system/policyNames": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The scopes, actions and names that policies may use, with their meanings
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemPolicyNames"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/explainPolicy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What somebody may do, and why; or why a request was refused
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemExplainPolicy"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/policyConsequences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What follows from setting or removing a policy, and whether it is valid; changes nothing
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemPolicyConsequences"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/settingConsequences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * What follows from setting a value, or from restoring its default; changes nothing
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemSettingConsequences"];
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
    readonly "/system/resolverKinds": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The kinds of resolvers and their settings
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemResolverKinds"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/testResolver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reads the users of a resolver as it is, or as it would be with these settings
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemTestResolver"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/realmConsequences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The consequences of removing or changing a realm, or of making it the default one
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemRealmConsequences"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/resolverConsequences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The consequences of removing a resolver
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemResolverConsequences"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/userConsequences": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The consequences of removing a user of a managed resolver, or of removing the password
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemUserConsequences"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/users/add": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adds a user to a managed resolver; the id of the user
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemUsersAdd"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/users/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sets the password of a user of a managed resolver, or removes it
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemUsersPassword"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/users/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a user of a managed resolver; the tokens become unassigned
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemUsersRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The encryption keys and the servers that have them
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemKeys"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/licence": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The licence, and whether it counts
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemLicence"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/licence/install": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Installs a licence in place of the present one; one that would not count is refused
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemLicenceInstall"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/licence/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes the licence
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemLicenceRemove"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The webhooks with the numbers of their deliveries, and the types of events
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemWebhooks"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The latest deliveries of a webhook that wait or were given up, newest first, 100 at most
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemWebhooksDeliveries"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/add": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adds a webhook at a public address; the answer has the secret of its signatures, this once
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksAdd"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes a new secret, which the answer has this once; the one before signs, too, for a day
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksRotateSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/enable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends to a webhook again, first the deliveries that wait
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksEnable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/disable": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends nothing to a webhook: waiting deliveries stay, new events are left out
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksDisable"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends a signed event webhook.test now, once
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksTest"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/retry": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes all deliveries due now, also those that were given up; their number
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksRetry"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/system/webhooks/remove": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Removes a webhook with its deliveries; their number
         * @description Requires the right `system:write`.
         */
        readonly post: operations["postSystemWebhooksRemove"];
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
    readonly "/system/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Every setting with its value in force, its default and its meaning
         * @description Requires the right `system:read`.
         */
        readonly post: operations["postSystemSettings"];
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
        readonly AdminSignInMethodsAnswer: {
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
                    readonly passkeys: boolean;
                    readonly single_sign_on: boolean;
                    readonly provider: string | null;
                };
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
        readonly AdminConfirmationParameters: {
            /**
             * Format: password
             * @description the password of the caller, again
             */
            readonly password: string;
        };
        readonly AdminConfirmationAnswer: {
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
                    readonly confirmed: true;
                    /** Format: date-time */
                    readonly until: string;
                } | {
                    /** @constant */
                    readonly confirmed: false;
                    /** @constant */
                    readonly second_factor: "token";
                    /** Format: date-time */
                    readonly expires: string;
                } | {
                    /** @constant */
                    readonly confirmed: false;
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
        readonly AdminConfirmationFinishParameters: {
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
        readonly AdminConfirmationFinishAnswer: {
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
                    readonly confirmed: true;
                    /** Format: date-time */
                    readonly until: string;
                } | {
                    /** @constant */
                    readonly confirmed: false;
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
        readonly AdminAdministratorsAnswer: {
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
                    readonly name: string;
                    /** Format: date-time */
                    readonly created: string;
                    readonly second_factor: ("token" | "passkey") | null;
                    readonly serial: string | null;
                    readonly own: boolean;
                }[];
            };
        };
        readonly AdminPasswordParameters: {
            /**
             * Format: password
             * @description the present password of the caller
             */
            readonly password: string;
            /**
             * Format: password
             * @description the new password
             */
            readonly new_password: string;
        };
        readonly AdminPasswordAnswer: {
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
        readonly AdminAdministratorsAddParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
            /**
             * Format: password
             * @description the password
             */
            readonly password: string;
        };
        readonly AdminAdministratorsAddAnswer: {
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
        readonly AdminAdministratorsRemoveParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
        };
        readonly AdminAdministratorsRemoveAnswer: {
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
        readonly AdminAdministratorsPasswordParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
            /**
             * Format: password
             * @description the new password
             */
            readonly new_password: string;
            /**
             * @description `1`: also revokes all API tokens of the administrator
             * @example 1
             */
            readonly revoke_tokens?: string;
        };
        readonly AdminAdministratorsPasswordAnswer: {
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
                    readonly api_tokens_left: number;
                };
            };
        };
        readonly AdminAdministratorsSecondFactorParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
            /**
             * @description an OCRA token of this server
             * @example QR17
             */
            readonly serial: string;
        };
        readonly AdminAdministratorsSecondFactorAnswer: {
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
        readonly AdminAdministratorsSecondFactorRemoveParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
        };
        readonly AdminAdministratorsSecondFactorRemoveAnswer: {
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
        readonly AdminAdministratorsPasskeyLinkParameters: {
            /**
             * @description the name of the administrator
             * @example anna
             */
            readonly administrator: string;
        };
        readonly AdminAdministratorsPasskeyLinkAnswer: {
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
                    readonly link: string;
                    /** Format: date-time */
                    readonly expires: string;
                };
            };
        };
        readonly AdminApiTokensParameters: {
            /**
             * @description the administrator on whose behalf it speaks
             * @example anna
             */
            readonly administrator: string;
        };
        readonly AdminApiTokensAnswer: {
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
                    readonly name: string;
                    readonly administrator: string;
                    readonly rights: readonly string[];
                    /** Format: date-time */
                    readonly created: string;
                    readonly expires: string | null;
                }[];
            };
        };
        readonly AdminApiTokensAddParameters: {
            /**
             * @description the administrator on whose behalf it speaks
             * @example anna
             */
            readonly administrator: string;
            /**
             * @description what it is called
             * @example nagios
             */
            readonly name: string;
            /**
             * @description `*`, or a comma list of `scope:action`, each part may be `*`
             * @example monitoring:*
             */
            readonly rights: string;
            /**
             * @description a date, a time, or a duration from now (`90D`); default: never
             * @example 90D
             */
            readonly expires?: string;
        };
        readonly AdminApiTokensAddAnswer: {
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
                    readonly token: string;
                };
            };
        };
        readonly AdminApiTokensRemoveParameters: {
            /**
             * @description the administrator on whose behalf it speaks
             * @example anna
             */
            readonly administrator: string;
            /**
             * @description what it is called
             * @example nagios
             */
            readonly name: string;
        };
        readonly AdminApiTokensRemoveAnswer: {
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
                    /** @description a new secret was found encrypted, a minute ago at most; false, too, while there is no key to encrypt with; null without the right `monitoring:storageEncryption` */
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
                    /** @description the realms in which a right of the scope admin holds */
                    readonly realms: readonly string[];
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
            /** @description such as `accepted`, `wrong` or `created`, whatever details follow; an unknown one is refused */
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
        readonly AuditValuesAnswer: {
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
                    /** @description sorted */
                    readonly actions: readonly string[];
                    /** @description sorted; details may follow these words */
                    readonly outcomes: readonly string[];
                };
            };
        };
        readonly AuditExportParameters: {
            /** @description the token, or whatever else the act was about */
            readonly serial?: string;
            /** @description the administrator; `operator:NAME` for commands */
            readonly actor?: string;
            /** @description such as `ocra/check_t` or `admin/init`; an unknown one is refused */
            readonly action?: string;
            /** @description a realm of what the act was about */
            readonly realm?: string;
            /** @description such as `accepted`, `wrong` or `created`, whatever details follow; an unknown one is refused */
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
            /**
             * @description `jsonl` (default) or `csv`
             * @example csv
             */
            readonly format?: string;
        };
        readonly AuditVerifyParameters: {
            /** @description the hash of a checkpoint that must be there, as a server has logged it */
            readonly checkpoint?: string;
        };
        readonly AuditVerifyAnswer: {
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
                    /** @description decimal digits */
                    readonly id: string;
                    /** @enum {string} */
                    readonly state: "running" | "finished" | "failed" | "interrupted";
                    /** Format: date-time */
                    readonly begun: string;
                    readonly begun_by: string;
                    readonly ended: string | null;
                    /** @description checked so far */
                    readonly rows: number;
                    /** @description the approximate number of all */
                    readonly of: number;
                    /** @description of the journal; 0 before the end */
                    readonly records: number;
                    /** @description the newest checkpoint, hexadecimal; empty before the end */
                    readonly newest: string;
                    /** @description the checkpoint that must be there; empty where none was given */
                    readonly checkpoint: string;
                    readonly findings: number;
                    /** @description the first hundred findings; empty before the end */
                    readonly listed: readonly {
                        /** @enum {string} */
                        readonly kind: "changed" | "removed" | "inserted" | "reordered";
                        /** @enum {string} */
                        readonly of: "row" | "journal";
                        /** @description of the row, or number of the record; null for a removed one */
                        readonly id: string | null;
                        readonly writer: number | null;
                        readonly lane: number | null;
                        /** @description place in its lane; first and last place of removed rows */
                        readonly seq: string | null;
                        /** @description UTC, to the microsecond */
                        readonly at: string | null;
                        readonly reason: string;
                    }[];
                    /** @description why it failed; empty where it did not */
                    readonly reason: string;
                };
            };
        };
        readonly AuditVerificationAnswer: {
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
                    /** @description the newest one; null: there was none yet */
                    readonly verification: {
                        /** @description decimal digits */
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "running" | "finished" | "failed" | "interrupted";
                        /** Format: date-time */
                        readonly begun: string;
                        readonly begun_by: string;
                        readonly ended: string | null;
                        /** @description checked so far */
                        readonly rows: number;
                        /** @description the approximate number of all */
                        readonly of: number;
                        /** @description of the journal; 0 before the end */
                        readonly records: number;
                        /** @description the newest checkpoint, hexadecimal; empty before the end */
                        readonly newest: string;
                        /** @description the checkpoint that must be there; empty where none was given */
                        readonly checkpoint: string;
                        readonly findings: number;
                        /** @description the first hundred findings; empty before the end */
                        readonly listed: readonly {
                            /** @enum {string} */
                            readonly kind: "changed" | "removed" | "inserted" | "reordered";
                            /** @enum {string} */
                            readonly of: "row" | "journal";
                            /** @description of the row, or number of the record; null for a removed one */
                            readonly id: string | null;
                            readonly writer: number | null;
                            readonly lane: number | null;
                            /** @description place in its lane; first and last place of removed rows */
                            readonly seq: string | null;
                            /** @description UTC, to the microsecond */
                            readonly at: string | null;
                            readonly reason: string;
                        }[];
                        /** @description why it failed; empty where it did not */
                        readonly reason: string;
                    } | null;
                    /** @description public keys of the installation, Base64, the current one first */
                    readonly keys: readonly string[];
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
        readonly AdminSearchParameters: {
            /**
             * @description a serial, login, name, e-mail address, `login@realm` or transaction
             * @example QR1
             */
            readonly text: string;
        };
        readonly AdminSearchAnswer: {
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
                    /** @description null: the caller lacks the right `admin:show` */
                    readonly tokens: {
                        readonly hits: readonly {
                            readonly serial: string;
                            readonly type: string;
                            readonly description: string;
                            /** @description null: nobody */
                            readonly owner: {
                                /** @description the login */
                                readonly user: string;
                                readonly resolver: string;
                                /** @description a visible realm by which the owner is found */
                                readonly realm: string | null;
                            } | null;
                            /** @description those that the caller may see */
                            readonly realms: readonly string[];
                            readonly active: boolean;
                            /** @description true: too many wrong responses */
                            readonly locked: boolean;
                            /** @description the number of wrong responses since the last right one */
                            readonly fail_count: number;
                            /** @description the number of wrong responses that locks the token */
                            readonly max_fail: number;
                            /** @description the next counter: 64 bits, as a text */
                            readonly counter: string;
                            readonly counter_window: number;
                            readonly sync_window: number;
                            /** @description seconds that the device is ahead */
                            readonly time_shift: number;
                            readonly ocra_suite: string | null;
                            /**
                             * @description the phase of the roll-out
                             * @enum {string}
                             */
                            readonly rollout: "phase1" | "phase2" | "complete";
                            /** Format: date-time */
                            readonly created: string;
                            /** @description the time of the last accepted response */
                            readonly last_success: string | null;
                        }[];
                        readonly more: boolean;
                    } | null;
                    /** @description null: the caller lacks the right `admin:userlist` */
                    readonly people: {
                        readonly hits: readonly {
                            /** @description the login */
                            readonly user: string;
                            readonly given_name: string;
                            readonly surname: string;
                            readonly email: string;
                            readonly phone: string;
                            readonly resolver: string;
                            /** @description the visible realms that have the resolver, the default one first */
                            readonly realms: readonly string[];
                        }[];
                        readonly more: boolean;
                        /** @description the resolvers whose users may be missing */
                        readonly incomplete: readonly {
                            readonly resolver: string;
                            readonly reason: string;
                        }[];
                    } | null;
                    /** @description null: the caller lacks the right `admin:transaction` */
                    readonly transactions: readonly {
                        readonly transaction_id: string;
                        readonly serial: string;
                        readonly realms: readonly string[];
                        /** @enum {string} */
                        readonly state: "open" | "expired" | "accepted" | "given up" | "superseded" | "ended";
                    }[] | null;
                };
            };
        };
        readonly AdminPersonParameters: {
            /**
             * @description the login of the user
             * @example alice
             */
            readonly user: string;
            /**
             * @description the realm of the user; default: the default realm
             * @example customers
             */
            readonly realm?: string;
            /** @description the only resolver to ask */
            readonly resconf?: string;
        };
        readonly AdminPersonAnswer: {
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
                    /** @description the login */
                    readonly user: string;
                    readonly realm: string;
                    readonly resolver: string;
                    /** @description null: the caller lacks the right `admin:userlist` */
                    readonly details: {
                        readonly given_name: string;
                        readonly surname: string;
                        readonly email: string;
                        readonly phone: string;
                    } | null;
                    /** @description the first hundred */
                    readonly tokens: readonly {
                        readonly serial: string;
                        readonly type: string;
                        readonly description: string;
                        /** @description null: nobody */
                        readonly owner: {
                            /** @description the login */
                            readonly user: string;
                            readonly resolver: string;
                            /** @description a visible realm by which the owner is found */
                            readonly realm: string | null;
                        } | null;
                        /** @description those that the caller may see */
                        readonly realms: readonly string[];
                        readonly active: boolean;
                        /** @description true: too many wrong responses */
                        readonly locked: boolean;
                        /** @description the number of wrong responses since the last right one */
                        readonly fail_count: number;
                        /** @description the number of wrong responses that locks the token */
                        readonly max_fail: number;
                        /** @description the next counter: 64 bits, as a text */
                        readonly counter: string;
                        readonly counter_window: number;
                        readonly sync_window: number;
                        /** @description seconds that the device is ahead */
                        readonly time_shift: number;
                        readonly ocra_suite: string | null;
                        /**
                         * @description the phase of the roll-out
                         * @enum {string}
                         */
                        readonly rollout: "phase1" | "phase2" | "complete";
                        /** Format: date-time */
                        readonly created: string;
                        /** @description the time of the last accepted response */
                        readonly last_success: string | null;
                    }[];
                    /** @description true: there are further tokens */
                    readonly more: boolean;
                    /** @description the latest ones that are stored, newest first; null: the caller lacks the right `admin:transaction` */
                    readonly transactions: readonly {
                        readonly transaction_id: string;
                        readonly serial: string;
                        /** Format: date-time */
                        readonly issued: string;
                        /** @enum {string} */
                        readonly state: "open" | "expired" | "accepted" | "given up" | "superseded";
                        /** @description the number of wrong responses */
                        readonly wrong: number;
                    }[] | null;
                };
            };
        };
        readonly AdminTokenParameters: {
            /**
             * @description the serial of the token
             * @example QR1
             */
            readonly serial: string;
        };
        readonly AdminTokenAnswer: {
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
                    readonly token: {
                        readonly serial: string;
                        readonly type: string;
                        readonly description: string;
                        /** @description null: nobody */
                        readonly owner: {
                            /** @description the login */
                            readonly user: string;
                            readonly resolver: string;
                            /** @description a visible realm by which the owner is found */
                            readonly realm: string | null;
                        } | null;
                        /** @description those that the caller may see */
                        readonly realms: readonly string[];
                        readonly active: boolean;
                        /** @description true: too many wrong responses */
                        readonly locked: boolean;
                        /** @description the number of wrong responses since the last right one */
                        readonly fail_count: number;
                        /** @description the number of wrong responses that locks the token */
                        readonly max_fail: number;
                        /** @description the next counter: 64 bits, as a text */
                        readonly counter: string;
                        readonly counter_window: number;
                        readonly sync_window: number;
                        /** @description seconds that the device is ahead */
                        readonly time_shift: number;
                        readonly ocra_suite: string | null;
                        /**
                         * @description the phase of the roll-out
                         * @enum {string}
                         */
                        readonly rollout: "phase1" | "phase2" | "complete";
                        /** Format: date-time */
                        readonly created: string;
                        /** @description the time of the last accepted response */
                        readonly last_success: string | null;
                    };
                    /** @description the latest ones that are stored, newest first; null: the caller lacks the right `admin:transaction` */
                    readonly transactions: readonly {
                        readonly transaction_id: string;
                        readonly serial: string;
                        /** Format: date-time */
                        readonly issued: string;
                        /** @enum {string} */
                        readonly state: "open" | "expired" | "accepted" | "given up" | "superseded";
                        /** @description the number of wrong responses */
                        readonly wrong: number;
                    }[] | null;
                };
            };
        };
        readonly AdminTokensParameters: {
            /**
             * @description the beginning of the serial, in any case
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
            readonly userrealm?: string;
            /** @description the resolver of the owner */
            readonly resconf?: string;
            /**
             * @description a realm of the tokens, `/:no realm:/` for tokens in none
             * @example customers
             */
            readonly realm?: string;
            /** @description a comma list of `active`, `inactive`, `assigned`, `unassigned`, `locked`; all must hold */
            readonly status?: string;
            /**
             * @description 1 to 200; default 50
             * @example 50
             */
            readonly limit?: string;
            /** @description `next` of the page before */
            readonly cursor?: string;
        };
        readonly AdminTokensAnswer: {
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
                    readonly tokens: readonly {
                        readonly serial: string;
                        readonly type: string;
                        readonly description: string;
                        /** @description null: nobody */
                        readonly owner: {
                            /** @description the login */
                            readonly user: string;
                            readonly resolver: string;
                            /** @description a visible realm by which the owner is found */
                            readonly realm: string | null;
                        } | null;
                        /** @description those that the caller may see */
                        readonly realms: readonly string[];
                        readonly active: boolean;
                        /** @description true: too many wrong responses */
                        readonly locked: boolean;
                        /** @description the number of wrong responses since the last right one */
                        readonly fail_count: number;
                        /** @description the number of wrong responses that locks the token */
                        readonly max_fail: number;
                        /** @description the next counter: 64 bits, as a text */
                        readonly counter: string;
                        readonly counter_window: number;
                        readonly sync_window: number;
                        /** @description seconds that the device is ahead */
                        readonly time_shift: number;
                        readonly ocra_suite: string | null;
                        /**
                         * @description the phase of the roll-out
                         * @enum {string}
                         */
                        readonly rollout: "phase1" | "phase2" | "complete";
                        /** Format: date-time */
                        readonly created: string;
                        /** @description the time of the last accepted response */
                        readonly last_success: string | null;
                    }[];
                    /** @description `cursor` of the next page; null: there is none */
                    readonly next: string | null;
                    /** @description the number of tokens on all pages; null: no count is kept for this filter */
                    readonly total: number | null;
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
            /** @description the policy that is replaced, as JSON of the form in /system/getPolicy; `null`: there is none. Another one is kept */
            readonly expected?: string;
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
            /** @description the policy that is removed, as JSON of the form in /system/getPolicy. Another one is kept */
            readonly expected?: string;
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
        readonly SystemPolicyNamesAnswer: {
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
                    readonly scopes: readonly {
                        readonly name: string;
                        readonly meaning: string;
                        readonly actions: readonly {
                            readonly name: string;
                            readonly meaning: string;
                            /** @description the allowed values; null: it takes none */
                            readonly value: string | null;
                        }[];
                        /** @description `*` means all actions */
                        readonly wildcard: boolean;
                        readonly requires_realm: boolean;
                        readonly requires_user: boolean;
                        /** @description without an active policy, every administrator has its rights */
                        readonly open: boolean;
                    }[];
                    readonly realms: readonly string[];
                    readonly resolvers: readonly string[];
                    readonly administrators: readonly string[];
                    /** @description groups of single sign-on that policies name */
                    readonly groups: readonly string[];
                    readonly forms: {
                        readonly realm: readonly {
                            readonly form: string;
                            readonly meaning: string;
                        }[];
                        readonly user: readonly {
                            readonly form: string;
                            readonly meaning: string;
                        }[];
                        readonly client: readonly {
                            readonly form: string;
                            readonly meaning: string;
                        }[];
                        readonly time: readonly {
                            readonly form: string;
                            readonly meaning: string;
                        }[];
                    };
                };
            };
        };
        readonly SystemExplainPolicyParameters: {
            /**
             * @description the administrator, or `oidc:NAME`; default: the caller
             * @example anna
             */
            readonly administrator?: string;
            /** @description the groups of a person who signs in by single sign-on, a comma list */
            readonly groups?: string;
            /** @description in place of `administrator`: the owner of a token, for the scope authentication; may be empty */
            readonly user?: string;
            /** @description the resolver of `user` */
            readonly resolver?: string;
            /** @description a realm; default: any */
            readonly realm?: string;
            /**
             * @description the address; default: that of the caller, or none where another one is named
             * @example 10.0.0.5
             */
            readonly client?: string;
            /**
             * @description a date or a time; default: now
             * @example 2026-11-20T12:00:00Z
             */
            readonly time?: string;
            /** @description in place of all these: the id of a refused request, which takes the right `admin:audit`, too; `groups` may be given */
            readonly request?: string;
        };
        readonly SystemExplainPolicyAnswer: {
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
                    readonly administrator: string | null;
                    readonly groups: readonly string[] | null;
                    /** @description false: there is no administrator of that name */
                    readonly known: boolean | null;
                    readonly user: string | null;
                    readonly realm: string | null;
                    readonly client: string;
                    /** Format: date-time */
                    readonly time: string;
                    readonly rights: readonly {
                        readonly scope: string;
                        readonly action: string;
                        readonly allowed: boolean;
                        /**
                         * @description `open`: no policy of the scope is active; `realm`: allowed, but not in this realm; `none`: no policy gives it
                         * @enum {string}
                         */
                        readonly reason: "policies" | "open" | "realm" | "none";
                        /** @description the realms in which it holds; `*` includes tokens in no realm */
                        readonly realms: "*" | readonly string[];
                        /** @description the policies that name the action */
                        readonly policies: readonly {
                            readonly name: string;
                            readonly applies: boolean;
                            /** @description why it does not apply */
                            readonly obstacles: readonly {
                                /** @enum {string} */
                                readonly kind: "inactive" | "unreadable" | "user" | "precedence" | "realm" | "client" | "time";
                                readonly text: string;
                            }[];
                        }[];
                    }[];
                    readonly values: readonly {
                        readonly action: string;
                        /** @description several: policies disagree */
                        readonly values: readonly string[];
                        readonly policies: readonly {
                            readonly name: string;
                            readonly applies: boolean;
                            /** @description why it does not apply */
                            readonly obstacles: readonly {
                                /** @enum {string} */
                                readonly kind: "inactive" | "unreadable" | "user" | "precedence" | "realm" | "client" | "time";
                                readonly text: string;
                            }[];
                            readonly value: string;
                        }[];
                    }[];
                    readonly refusal: {
                        readonly request: string;
                        /** Format: date-time */
                        readonly time: string;
                        readonly endpoint: string;
                        /** @description `scope:action`; null: the audit does not name it */
                        readonly right: string | null;
                        /** @description the API token lacked the right, whatever the policies say */
                        readonly api_token: boolean;
                    } | null;
                    /** @description changes of policies since the refusal; null: the caller may not see them */
                    readonly changes: readonly {
                        readonly policy: string;
                        /** @enum {string} */
                        readonly kind: "set" | "removed";
                        readonly administrator: string;
                        /** Format: date-time */
                        readonly time: string;
                    }[] | null;
                };
            };
        };
        readonly SystemPolicyConsequencesParameters: {
            /**
             * @description the name of the policy
             * @example helpdesk
             */
            readonly name?: string;
            /**
             * @description as for /system/setPolicy, and so the next ones
             * @example admin
             */
            readonly scope?: string;
            /**
             * @description the actions
             * @example show, enable, disable
             */
            readonly action?: string;
            /**
             * @description the realms
             * @example office
             */
            readonly realm?: string;
            /**
             * @description the users or administrators
             * @example anna
             */
            readonly user?: string;
            /** @description the addresses of clients */
            readonly client?: string;
            /** @description the times at which it holds */
            readonly time?: string;
            /**
             * @description `True` or `False`
             * @example True
             */
            readonly active?: string;
            /** @description `1`: what follows from removing the policy of this name */
            readonly remove?: string;
        };
        readonly SystemPolicyConsequencesAnswer: {
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
                    /** @description why the policy is invalid; the rest is then empty */
                    readonly problems: readonly {
                        readonly field: string;
                        readonly text: string;
                    }[];
                    /** @description realms and resolvers that do not exist */
                    readonly unknown_names: readonly {
                        readonly field: string;
                        readonly name: string;
                        readonly nearest: string | null;
                    }[];
                    readonly consequences: readonly {
                        /** @description for programs */
                        readonly code: string;
                        /** @description a clause for people */
                        readonly text: string;
                        /** @description the number in the clause */
                        readonly count?: number;
                        /** @description the names in the clause */
                        readonly names?: readonly string[];
                        /** @description the rights in the clause, `scope:action` */
                        readonly rights?: readonly string[];
                    }[];
                    /** @description the administrators who lose rights */
                    readonly lost: readonly {
                        readonly administrators: readonly string[];
                        readonly rights: readonly string[];
                    }[];
                    /** @description nobody can change policies afterwards, or not the caller */
                    readonly lock_out: boolean;
                };
            };
        };
        readonly SystemSettingConsequencesParameters: {
            /**
             * @description the key of the value
             * @example OcraMaxChallenges
             */
            readonly key: string;
            /**
             * @description the value; left out: the default applies again
             * @example 2
             */
            readonly value?: string;
        };
        readonly SystemSettingConsequencesAnswer: {
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
                    /** @description the server does not read the key: a clause that says so */
                    readonly unread: string | null;
                    readonly consequences: readonly {
                        /** @description for programs */
                        readonly code: string;
                        /** @description a clause for people */
                        readonly text: string;
                        /** @description the number in the clause */
                        readonly count?: number;
                        /** @description the names in the clause */
                        readonly names?: readonly string[];
                        /** @description the rights in the clause, `scope:action` */
                        readonly rights?: readonly string[];
                    }[];
                };
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
            /**
             * @description `1`: removes the stored password
             * @example 1
             */
            readonly remove_password?: string;
            /** @description the settings that are replaced, as a JSON object of texts without the password; `null`: there is no such resolver. Others are kept */
            readonly expected?: string;
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
            /** @description the resolvers that are replaced, as a JSON list of names; `null`: there is no such realm. Others are kept */
            readonly expected?: string;
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
        readonly SystemResolverKindsAnswer: {
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
                    readonly kind: string;
                    readonly meaning: string;
                    readonly settings: readonly {
                        readonly name: string;
                        readonly meaning: string;
                        readonly required: boolean;
                        /** @description the value that applies without one; null: none */
                        readonly default: string | null;
                        /** @description the only values; null: any */
                        readonly values: readonly string[] | null;
                        readonly example: string | null;
                        /**
                         * @description `json`: a JSON object of texts
                         * @enum {string}
                         */
                        readonly form: "line" | "lines" | "json";
                        /** @description a password: it is written, and never shown */
                        readonly secret: boolean;
                        /** @description where it changes, the stored password must be given again */
                        readonly bound: boolean;
                    }[];
                }[];
            };
        };
        readonly SystemTestResolverParameters: {
            /**
             * @description the name of the resolver
             * @example directory
             */
            readonly name: string;
            /**
             * @description `passwd`, `sql`, `ldap` or `managed`; without it, the stored resolver is tried as it is
             * @example ldap
             */
            readonly type?: string;
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
            /**
             * @description `1`: removes the stored password
             * @example 1
             */
            readonly remove_password?: string;
        };
        readonly SystemTestResolverAnswer: {
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
                    readonly readable: true;
                    readonly users: number;
                    /** @description some users; null: the caller may not list them */
                    readonly first: readonly {
                        readonly username: string;
                        readonly userid: string;
                        readonly givenname: string;
                        readonly surname: string;
                        readonly email: string;
                        readonly phone: string;
                    }[] | null;
                } | {
                    /** @constant */
                    readonly readable: false;
                    readonly reason: string;
                };
            };
        };
        readonly SystemRealmConsequencesParameters: {
            /**
             * @description `remove`, `set` or `default`
             * @example remove
             */
            readonly act: string;
            /**
             * @description the name of the realm; empty with `default`: no default realm
             * @example customers
             */
            readonly realm?: string;
            /**
             * @description with `set`: the new resolvers, a comma list
             * @example directory
             */
            readonly resolvers?: string;
        };
        readonly SystemRealmConsequencesAnswer: {
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
                    /** @description for programs */
                    readonly code: string;
                    /** @description a clause for people */
                    readonly text: string;
                    /** @description the number in the clause */
                    readonly count?: number;
                    /** @description the names in the clause */
                    readonly names?: readonly string[];
                    /** @description the rights in the clause, `scope:action` */
                    readonly rights?: readonly string[];
                }[];
            };
        };
        readonly SystemResolverConsequencesParameters: {
            /**
             * @description the name of the resolver
             * @example directory
             */
            readonly resolver: string;
        };
        readonly SystemResolverConsequencesAnswer: {
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
                    /** @description for programs */
                    readonly code: string;
                    /** @description a clause for people */
                    readonly text: string;
                    /** @description the number in the clause */
                    readonly count?: number;
                    /** @description the names in the clause */
                    readonly names?: readonly string[];
                    /** @description the rights in the clause, `scope:action` */
                    readonly rights?: readonly string[];
                }[];
            };
        };
        readonly SystemUserConsequencesParameters: {
            /**
             * @description a managed resolver
             * @example staff
             */
            readonly resolver: string;
            /**
             * @description the login
             * @example anna
             */
            readonly username: string;
            /**
             * @description `1`: of removing the password alone
             * @example 1
             */
            readonly password_only?: string;
        };
        readonly SystemUserConsequencesAnswer: {
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
                    /** @description for programs */
                    readonly code: string;
                    /** @description a clause for people */
                    readonly text: string;
                    /** @description the number in the clause */
                    readonly count?: number;
                    /** @description the names in the clause */
                    readonly names?: readonly string[];
                    /** @description the rights in the clause, `scope:action` */
                    readonly rights?: readonly string[];
                }[];
            };
        };
        readonly SystemUsersAddParameters: {
            /**
             * @description a managed resolver
             * @example staff
             */
            readonly resolver: string;
            /**
             * @description the login
             * @example anna
             */
            readonly username: string;
            /**
             * @description the given name
             * @example Anna
             */
            readonly givenname?: string;
            /**
             * @description the surname
             * @example Berg
             */
            readonly surname?: string;
            /**
             * @description the e-mail address
             * @example anna@example.com
             */
            readonly email?: string;
            /**
             * @description the phone number
             * @example +49 30 1
             */
            readonly phone?: string;
            /**
             * Format: password
             * @description a password of 8 characters or more; default: none matches
             */
            readonly password?: string;
        };
        readonly SystemUsersAddAnswer: {
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
                    readonly userid: string;
                };
            };
        };
        readonly SystemUsersPasswordParameters: {
            /**
             * @description a managed resolver
             * @example staff
             */
            readonly resolver: string;
            /**
             * @description the login
             * @example anna
             */
            readonly username: string;
            /**
             * Format: password
             * @description a password of 8 characters or more
             */
            readonly password?: string;
            /**
             * @description `1`, in place of `password`: no password matches then
             * @example 1
             */
            readonly remove?: string;
        };
        readonly SystemUsersPasswordAnswer: {
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
        readonly SystemUsersRemoveParameters: {
            /**
             * @description a managed resolver
             * @example staff
             */
            readonly resolver: string;
            /**
             * @description the login
             * @example anna
             */
            readonly username: string;
        };
        readonly SystemUsersRemoveAnswer: {
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
        readonly SystemKeysParameters: {
            /**
             * @description `1`: counts the secrets of each key, which reads all tokens
             * @example 1
             */
            readonly count?: string;
        };
        readonly SystemKeysAnswer: {
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
                    readonly keys: readonly {
                        /** @description 16 hexadecimal digits, which tell nothing of the key */
                        readonly keyid: string;
                        /** @description seals */
                        readonly current: boolean;
                        /** @description null: secrets are sealed with it, but it is not registered */
                        readonly added: string | null;
                        /** @description null: it has never sealed */
                        readonly current_since: string | null;
                        readonly retired: string | null;
                        /** @description the number of secrets sealed with it; null: not counted */
                        readonly secrets: number | null;
                    }[];
                    readonly servers: readonly {
                        /** @description host name and process id */
                        readonly place: string;
                        readonly keyids: readonly string[];
                        readonly seals_with: string;
                    }[];
                    readonly counted: string | null;
                };
            };
        };
        readonly SystemLicenceAnswer: {
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
                /** @description null: none is installed */
                readonly value: {
                    readonly valid: boolean;
                    /** @description why it does not count; null: it does */
                    readonly reason: string | null;
                    /** @description what it counts; null: it cannot be read */
                    readonly unit: ("user" | "token") | null;
                    readonly licensed: number | null;
                    /** @description the present number; null: not counted */
                    readonly active: number | null;
                    readonly starts: string | null;
                    /** @description the first instant at which it is no longer valid */
                    readonly ends: string | null;
                    /** @description as signed */
                    readonly fields: {
                        readonly [key: string]: string | number | boolean;
                    };
                } | null;
            };
        };
        readonly SystemLicenceInstallParameters: {
            /**
             * Format: password
             * @description the signed licence, a JWS in compact form
             * @example eyJhbGciOi…
             */
            readonly licence: string;
        };
        readonly SystemLicenceInstallAnswer: {
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
                    readonly valid: boolean;
                    /** @description why it does not count; null: it does */
                    readonly reason: string | null;
                    /** @description what it counts; null: it cannot be read */
                    readonly unit: ("user" | "token") | null;
                    readonly licensed: number | null;
                    /** @description the present number; null: not counted */
                    readonly active: number | null;
                    readonly starts: string | null;
                    /** @description the first instant at which it is no longer valid */
                    readonly ends: string | null;
                    /** @description as signed */
                    readonly fields: {
                        readonly [key: string]: string | number | boolean;
                    };
                };
            };
        };
        readonly SystemLicenceRemoveAnswer: {
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
        readonly SystemWebhooksAnswer: {
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
                    readonly webhooks: readonly {
                        readonly name: string;
                        /** @description the origin alone for those who may not change webhooks */
                        readonly url: string;
                        readonly events: readonly string[];
                        /** @description empty: all tokens */
                        readonly realms: readonly string[];
                        readonly enabled: boolean;
                        /** @description added over HTTP: only at a public address */
                        readonly bounded: boolean;
                        /** Format: date-time */
                        readonly created: string;
                        readonly waiting: number;
                        /** @description the time of the oldest that waits */
                        readonly oldest: string | null;
                        readonly given_up: number;
                        readonly delivered: number;
                        readonly last_success: string | null;
                        readonly last_failure_at: string | null;
                        readonly last_failure: string;
                    }[];
                    readonly event_types: readonly {
                        readonly type: string;
                        readonly meaning: string;
                    }[];
                };
            };
        };
        readonly SystemWebhooksDeliveriesParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksDeliveriesAnswer: {
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
                    readonly event: string;
                    readonly type: string;
                    /** Format: date-time */
                    readonly occurred: string;
                    readonly attempts: number;
                    /** @description null: it was given up */
                    readonly next_attempt: string | null;
                    readonly given_up: string | null;
                    readonly last_failure: string;
                }[];
            };
        };
        readonly SystemWebhooksAddParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
            /**
             * @description where the events go
             * @example https://siem.example.com/tankeeper
             */
            readonly url: string;
            /**
             * @description a comma list of types; default: all
             * @example token.locked
             */
            readonly events?: string;
            /**
             * @description only events of tokens in these realms, a comma list; default: all
             * @example customers
             */
            readonly realms?: string;
        };
        readonly SystemWebhooksAddAnswer: {
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
                    readonly secret: string;
                };
            };
        };
        readonly SystemWebhooksRotateSecretParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksRotateSecretAnswer: {
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
                    readonly secret: string;
                };
            };
        };
        readonly SystemWebhooksEnableParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksEnableAnswer: {
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
        readonly SystemWebhooksDisableParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksDisableAnswer: {
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
        readonly SystemWebhooksTestParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksTestAnswer: {
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
                    readonly delivered: boolean;
                    /** @description the HTTP status of the answer; null: there was none */
                    readonly status: number | null;
                    /** @description null: it was delivered */
                    readonly reason: string | null;
                    readonly duration_ms: number;
                    readonly event: string;
                };
            };
        };
        readonly SystemWebhooksRetryParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksRetryAnswer: {
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
        readonly SystemWebhooksRemoveParameters: {
            /**
             * @description the name of the webhook
             * @example siem
             */
            readonly name: string;
        };
        readonly SystemWebhooksRemoveAnswer: {
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
        readonly SystemSetConfigParameters: {
            /** @description the key of the value; left out: every parameter is a key with its value */
            readonly key?: string;
            /** @description the value of `key` */
            readonly value?: string;
            /** @description the type of the value in LinOTP: types of secrets are refused */
            readonly type?: string;
            /** @description the values that are replaced, as a JSON object of texts by key, no secrets; `null`: it is not set. Others are kept */
            readonly expected?: string;
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
        readonly SystemSettingsAnswer: {
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
                    readonly key: string;
                    /** @description the value in force; null: there is none, or it is withheld */
                    readonly value: string | null;
                    readonly default: string | null;
                    readonly set: boolean;
                    /** @description the server reads it */
                    readonly known: boolean;
                    /** @description it may be a secret */
                    readonly withheld: boolean;
                    readonly meaning: string | null;
                    readonly form: ("number" | "duration" | "suite" | "truth" | "text") | null;
                    readonly unit: string | null;
                    readonly least: number | null;
                    readonly most: number | null;
                }[];
            };
        };
        readonly SystemDelConfigParameters: {
            /**
             * @description the key of the value
             * @example OcraMaxChallenges
             */
            readonly key: string;
            /** @description the value that is removed, as a JSON object of a text by key, no secret. Another one is kept */
            readonly expected?: string;
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
    readonly postAdminSignInMethods: {
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
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminSignInMethodsAnswer"];
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
    readonly postAdminConfirmation: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminConfirmationParameters"];
                readonly "application/json": components["schemas"]["AdminConfirmationParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminConfirmationParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description a cookie that names the confirmation for five minutes */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminConfirmationAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminConfirmationFinish: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminConfirmationFinishParameters"];
                readonly "application/json": components["schemas"]["AdminConfirmationFinishParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminConfirmationFinishParameters"];
            };
        };
        readonly responses: {
            /** @description the result, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description with `confirmed`: removes the cookie of the confirmation */
                    readonly "Set-Cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AdminConfirmationFinishAnswer"] | components["schemas"]["Failure"];
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
        readonly requestBody?: never;
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
                    /** @description a cookie that holds the sign-in for five minutes */
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
    readonly postAdminAdministrators: {
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminPassword: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminPasswordParameters"];
                readonly "application/json": components["schemas"]["AdminPasswordParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminPasswordParameters"];
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
                    readonly "application/json": components["schemas"]["AdminPasswordAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsAdd: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsAddParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsAddParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsAddParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsAddAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsRemove: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsRemoveParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsRemoveParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsPassword: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsPasswordParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsPasswordParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsPasswordParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsPasswordAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsSecondFactor: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsSecondFactorParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsSecondFactorParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsSecondFactorParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsSecondFactorAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsSecondFactorRemove: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsSecondFactorRemoveParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsSecondFactorRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsSecondFactorRemoveParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsSecondFactorRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminAdministratorsPasskeyLink: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminAdministratorsPasskeyLinkParameters"];
                readonly "application/json": components["schemas"]["AdminAdministratorsPasskeyLinkParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminAdministratorsPasskeyLinkParameters"];
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
                    readonly "application/json": components["schemas"]["AdminAdministratorsPasskeyLinkAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminApiTokens: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminApiTokensParameters"];
                readonly "application/json": components["schemas"]["AdminApiTokensParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminApiTokensParameters"];
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
                    readonly "application/json": components["schemas"]["AdminApiTokensAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminApiTokensAdd: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminApiTokensAddParameters"];
                readonly "application/json": components["schemas"]["AdminApiTokensAddParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminApiTokensAddParameters"];
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
                    readonly "application/json": components["schemas"]["AdminApiTokensAddAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminApiTokensRemove: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminApiTokensRemoveParameters"];
                readonly "application/json": components["schemas"]["AdminApiTokensRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminApiTokensRemoveParameters"];
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
                    readonly "application/json": components["schemas"]["AdminApiTokensRemoveAnswer"] | components["schemas"]["Failure"];
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
    readonly postAuditValues: {
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
                    readonly "application/json": components["schemas"]["AuditValuesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAuditExport: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AuditExportParameters"];
                readonly "application/json": components["schemas"]["AuditExportParameters"];
                readonly "multipart/form-data": components["schemas"]["AuditExportParameters"];
            };
        };
        readonly responses: {
            /** @description the answer, or a failure: `result.status` is then false */
            readonly 200: {
                headers: {
                    readonly "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description the name of the file */
                    readonly "Content-Disposition"?: string;
                    /** @description `yes`, or `no` for CSV, selected rows, and callers who are bound to realms */
                    readonly "X-Audit-Verifiable"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Failure"];
                    readonly "application/x-ndjson": string;
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly postAuditVerify: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AuditVerifyParameters"];
                readonly "application/json": components["schemas"]["AuditVerifyParameters"];
                readonly "multipart/form-data": components["schemas"]["AuditVerifyParameters"];
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
                    readonly "application/json": components["schemas"]["AuditVerifyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAuditVerification: {
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
                    readonly "application/json": components["schemas"]["AuditVerificationAnswer"] | components["schemas"]["Failure"];
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
    readonly postAdminSearch: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminSearchParameters"];
                readonly "application/json": components["schemas"]["AdminSearchParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminSearchParameters"];
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
                    readonly "application/json": components["schemas"]["AdminSearchAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminPerson: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminPersonParameters"];
                readonly "application/json": components["schemas"]["AdminPersonParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminPersonParameters"];
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
                    readonly "application/json": components["schemas"]["AdminPersonAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminToken: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminTokenParameters"];
                readonly "application/json": components["schemas"]["AdminTokenParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminTokenParameters"];
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
                    readonly "application/json": components["schemas"]["AdminTokenAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postAdminTokens: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["AdminTokensParameters"];
                readonly "application/json": components["schemas"]["AdminTokensParameters"];
                readonly "multipart/form-data": components["schemas"]["AdminTokensParameters"];
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
                    readonly "application/json": components["schemas"]["AdminTokensAnswer"] | components["schemas"]["Failure"];
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
    readonly postSystemPolicyNames: {
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
                    readonly "application/json": components["schemas"]["SystemPolicyNamesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemExplainPolicy: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemExplainPolicyParameters"];
                readonly "application/json": components["schemas"]["SystemExplainPolicyParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemExplainPolicyParameters"];
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
                    readonly "application/json": components["schemas"]["SystemExplainPolicyAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemPolicyConsequences: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemPolicyConsequencesParameters"];
                readonly "application/json": components["schemas"]["SystemPolicyConsequencesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemPolicyConsequencesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemPolicyConsequencesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemSettingConsequences: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemSettingConsequencesParameters"];
                readonly "application/json": components["schemas"]["SystemSettingConsequencesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemSettingConsequencesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemSettingConsequencesAnswer"] | components["schemas"]["Failure"];
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
    readonly postSystemResolverKinds: {
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
                    readonly "application/json": components["schemas"]["SystemResolverKindsAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemTestResolver: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemTestResolverParameters"];
                readonly "application/json": components["schemas"]["SystemTestResolverParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemTestResolverParameters"];
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
                    readonly "application/json": components["schemas"]["SystemTestResolverAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemRealmConsequences: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemRealmConsequencesParameters"];
                readonly "application/json": components["schemas"]["SystemRealmConsequencesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemRealmConsequencesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemRealmConsequencesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemResolverConsequences: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemResolverConsequencesParameters"];
                readonly "application/json": components["schemas"]["SystemResolverConsequencesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemResolverConsequencesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemResolverConsequencesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemUserConsequences: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemUserConsequencesParameters"];
                readonly "application/json": components["schemas"]["SystemUserConsequencesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemUserConsequencesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemUserConsequencesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemUsersAdd: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemUsersAddParameters"];
                readonly "application/json": components["schemas"]["SystemUsersAddParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemUsersAddParameters"];
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
                    readonly "application/json": components["schemas"]["SystemUsersAddAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemUsersPassword: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemUsersPasswordParameters"];
                readonly "application/json": components["schemas"]["SystemUsersPasswordParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemUsersPasswordParameters"];
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
                    readonly "application/json": components["schemas"]["SystemUsersPasswordAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemUsersRemove: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemUsersRemoveParameters"];
                readonly "application/json": components["schemas"]["SystemUsersRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemUsersRemoveParameters"];
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
                    readonly "application/json": components["schemas"]["SystemUsersRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemKeys: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemKeysParameters"];
                readonly "application/json": components["schemas"]["SystemKeysParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemKeysParameters"];
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
                    readonly "application/json": components["schemas"]["SystemKeysAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemLicence: {
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
                    readonly "application/json": components["schemas"]["SystemLicenceAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemLicenceInstall: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemLicenceInstallParameters"];
                readonly "application/json": components["schemas"]["SystemLicenceInstallParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemLicenceInstallParameters"];
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
                    readonly "application/json": components["schemas"]["SystemLicenceInstallAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemLicenceRemove: {
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
                    readonly "application/json": components["schemas"]["SystemLicenceRemoveAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooks: {
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
                    readonly "application/json": components["schemas"]["SystemWebhooksAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksDeliveries: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksDeliveriesParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksDeliveriesParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksDeliveriesParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksDeliveriesAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksAdd: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksAddParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksAddParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksAddParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksAddAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksRotateSecret: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksRotateSecretParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksRotateSecretParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksRotateSecretParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksRotateSecretAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksEnable: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksEnableParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksEnableParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksEnableParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksEnableAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksDisable: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksDisableParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksDisableParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksDisableParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksDisableAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksTest: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksTestParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksTestParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksTestParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksTestAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksRetry: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksRetryParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksRetryParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksRetryParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksRetryAnswer"] | components["schemas"]["Failure"];
                };
            };
        };
    };
    readonly postSystemWebhooksRemove: {
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
                readonly "application/x-www-form-urlencoded": components["schemas"]["SystemWebhooksRemoveParameters"];
                readonly "application/json": components["schemas"]["SystemWebhooksRemoveParameters"];
                readonly "multipart/form-data": components["schemas"]["SystemWebhooksRemoveParameters"];
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
                    readonly "application/json": components["schemas"]["SystemWebhooksRemoveAnswer"] | components["schemas"]["Failure"];
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
    readonly postSystemSettings: {
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
                    readonly "application/json": components["schemas"]["SystemSettingsAnswer"] | components["schemas"]["Failure"];
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
