// The build information that `motivator --version` prints.
#ifndef MOTIVATOR_BUILD_H
#define MOTIVATOR_BUILD_H

// The commit, if `swift build` is called with -Xcc -DMOTIVATOR_COMMIT='"…"'. scripts/build passes $MOTIVATOR_COMMIT.
#ifdef MOTIVATOR_COMMIT
#define BUILD_COMMIT MOTIVATOR_COMMIT
#else
#define BUILD_COMMIT ""
#endif

#endif
