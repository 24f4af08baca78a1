// Carries the precompiled headers of cmake/settings.cmake; it has nothing of its own.
