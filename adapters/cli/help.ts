/** The text that `--help` prints. */
export const HELP = `Usage: plant-store [options]
       plant-store check <url> --token <token> [--token <token of a second owner>]

Serves a plant catalogue: POST /plants, GET /plants and DELETE /plants/{id}.
GET /livez and GET /readyz say whether it runs, and whether its storage does.

  --port <port>         TCP port; 0 takes a free one. Default: 3000
  --hostname <host>     host name or address to listen on. Default: 127.0.0.1
  --db <file>           SQLite file, or :memory:. Default: plants.db
  --table <name>        table in the SQLite file of another app
  --token <t>=<owner>   token that opens the owner's plants; repeat it for more.
                        Default: demo-token=demo, on this machine only
  --cors                let pages of any origin call the API. With the demo token,
                        pages on this machine always may, and no others
  --seed <file.json>    start with these plants, in memory. The file holds plants
                        by owner: {"demo": [{"id": 7, "name": "Monstera"}]}
  --help                print this help
  --version             print the version

An option overrides its environment variable: PORT, HOST, PLANT_STORE_DB, or
PLANT_STORE_TOKENS=token=owner[,token=owner…]. Other users of a machine can see
the options of a program, so set secret tokens by the variable.

To test a client, in memory:

  --mock                let a request fail as its Prefer header says: code=503,
                        example=overloaded, or a failure that leaves open whether
                        the request was applied. That is plant-store=applied-503,
                        applied-cut, cut, truncated or rate-limited: once, then
                        the same request succeeds.
                        POST /mock/reset takes its owner's plants back to the seed
  --delay <ms>[-<ms>]   let each response wait, such as 200-800
  --chaos <share>       let this share of the requests fail by chance, such as 5%
  --chaos-seed <n>      repeat the chances of another run

check tests a running store through whatever is in front of it, and names the likely
cause of what it finds. It takes the URL where the paths of the store begin, and
tokens of owners that nobody needs. It leaves nothing behind, and touches no plant
that it has not created. It exits with 1 if a rule is broken.`
