# Names the PostgreSQL server of the tests, the drills and the bench.

TEST_DATABASE_URL=${TEST_DATABASE_URL:-postgres://postgres@127.0.0.1:5432/postgres}
DATABASE_URL=$TEST_DATABASE_URL
export TEST_DATABASE_URL DATABASE_URL
